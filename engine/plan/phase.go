package plan

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/ledger/event"
)

// phaseError is an error with the phase of the cycle that failed.
type phaseError struct {
	phase event.Phase
	err   error
}

func (e *phaseError) Error() string { return e.err.Error() }

func (e *phaseError) Unwrap() error { return e.err }

// inPhase adds the phase to an error.
func inPhase(phase event.Phase, err error) error {
	if err == nil {
		return nil
	}
	return &phaseError{phase, err}
}

// Failed records that a phase failed, so that the audit log has the reason for a cycle without a
// plan. An error of the recording itself is dropped: the caller returns the phase's error. An
// interrupt and a broken ledger record nothing.
func (e *Planner) Failed(ctx context.Context, stacks []string, err error) {
	var failed *phaseError
	if !errors.As(err, &failed) || ctx.Err() != nil || e.Ledger.Broken() != nil {
		return
	}
	f := event.PhaseFailed{Phase: failed.phase, Error: err.Error()}
	if len(stacks) == 1 {
		f.Stack = stacks[0]
	}
	_, _ = e.Ledger.Record(ctx, f)
}

// LoadFailed records that a stack's source could not be loaded.
func (e *Planner) LoadFailed(ctx context.Context, stack string, err error) {
	e.Failed(ctx, []string{stack}, inPhase(event.PhaseLoad, err))
}
