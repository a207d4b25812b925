package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// ErrNothingToApprove: the plan proposes no action, or cannot be applied.
var ErrNothingToApprove = errors.New("the plan proposes nothing")

// AppliedError reports that a saved plan was applied in part. The rest has another digest, so an approval of the
// whole plan would never count.
type AppliedError struct {
	Refs []resource.Ref // whose actions are done
	All  bool           // no action is left
}

func (e *AppliedError) Error() string {
	names := make([]string, len(e.Refs))
	for i, r := range e.Refs {
		names[i] = r.Short()
	}
	return "already done since the plan was made: " + strings.Join(names, ", ")
}

// Approve records an operator's approval of the proposals of a loaded plan, valid until a time. The
// approval covers the proposals, not the file: any plan that proposes the same actions on the same
// resources is approved, and no other. An operator's newest approval replaces the earlier ones.
//
// With OperatorAction.Sign it is signed; who then counts is the owner of the key. An error means
// that nothing was recorded; among the errors are ErrNothingToApprove and *AppliedError.
func (e *Operator) Approve(
	ctx context.Context, p *plan.Planned, a OperatorAction, until time.Time,
) (event.Approved, error) {
	executes := func(d decider.Decision) bool { return d.Proposed.Executes() } // blocked or not
	// A plan for drift cannot be applied, so an approval of it would allow nothing.
	if p.Mode == event.ForDrift || !slices.ContainsFunc(p.Plan.Decisions, executes) {
		return event.Approved{}, ErrNothingToApprove
	}
	if err := e.untouched(ctx, p); err != nil {
		return event.Approved{}, err
	}
	approved := event.Approved{
		Plan: p.ID, Hash: p.Hash, Who: a.Who, How: "ovi approve", Until: until.UTC().Round(0), Digest: p.Plan.Digest(),
		Reason: a.Reason,
	}
	// An unsigned approval is recorded too. Each approval rule decides whether it needs a signature.
	by, who, err := e.signed(ctx, a, false, func(who string) []byte {
		approved.Who = who
		return approved.Statement(e.plan.Ledger.Instance())
	})
	if err != nil {
		return approved, fmt.Errorf("approve the plan: %w", err)
	}
	approved.Who, approved.SignedBy = who, by
	if _, err := e.plan.Ledger.Record(ctx, approved); err != nil {
		return approved, fmt.Errorf("approve the plan: %w", err)
	}
	return approved, nil
}

// untouched returns an AppliedError if actions on resources of the plan were done since it was
// made. Changes outside ovi do not matter here: the digest covers the proposals, and a plan with
// others is not approved.
func (e *Operator) untouched(ctx context.Context, p *plan.Planned) error {
	past := history.New(e.plan.Ledger.Reader())
	var done []resource.Ref
	proposed := 0
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if !d.Proposed.Executes() {
			continue
		}
		proposed++
		// Actions of the plan itself count too: an apply of the plan may have done a part of it.
		since, err := past.ActionsSince(ctx, d.Ref, p.Revision, "")
		if err != nil {
			return fmt.Errorf("approve the plan: read the actions since: %w", err)
		}
		if anyDone(since) {
			done = append(done, d.Ref)
		}
	}
	if len(done) > 0 {
		return &AppliedError{Refs: done, All: len(done) == proposed}
	}
	return nil
}

// anyDone reports whether an action that started among the records was done. An action that the plan itself recovered
// started earlier.
func anyDone(records []event.Record) bool {
	started := map[string]bool{}
	for _, r := range records {
		switch e := r.Event.(type) {
		case event.Started:
			started[e.Key] = true
		case event.Finished:
			if started[e.Key] && (e.Outcome == event.Done || e.Outcome == event.Accepted) {
				return true
			}
		case event.Recovered:
			if started[e.Key] && e.Finding == event.FoundDone {
				return true
			}
		}
	}
	return false
}
