package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
)

// Options control an apply. Zero fields are defaults.
type Options struct {
	Parallelism int           // actions in parallel; 0 means the intents' own limit, else 10
	Tries       int           // the most calls of one action, repeated as the policy of their cause says; 0 means no limit
	Backoff     time.Duration // before the second call, doubled each time; 0: 500 ms
	// Hard is a context whose end stops calls in flight too: the second Ctrl-C. The end of Apply's own
	// context lets them finish and begins no more. If nil, calls are never cut off.
	Hard context.Context
	// Waits, if set, is called, from many goroutines, when an apply waits until a resource of a count is
	// healthy, with why it is not; and with "" when that ends.
	Waits func(ref resource.Ref, why string)
	// Limit bounds each call from its start, as timeouts of the configuration do. 0 means that only these do.
	Limit time.Duration
	// Approved, if set, is recorded before anything starts.
	Approved *event.Approved
	// Versions, if set, are the versions of the configurations that the apply carries out, by stack. Once the leading
	// loop of a stack has loaded another version, the apply yields.
	Versions map[string]string
	// Control, if set, steers the apply from outside.
	Control *Control
}

// readFailed handles a failed read of the ledger: if the claim was lost meanwhile, it stops this
// action, else the apply. The end of a claim cancels reads under it, which says nothing about the ledger.
func (a *apply) readFailed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, coordinator.ErrLost) {
		return cause
	}
	return a.fail(err)
}

// Defaults of an apply.
const (
	defaultParallelism = 10
	defaultBackoff     = 500 * time.Millisecond
	longestWait        = 15 * time.Second // between two calls of one action
	mostBlinks         = 5                // observations in a row that may fail during a replacement
)

// apply is one apply in progress. Its steps run in parallel, and share it: what changes is guarded by mu.
//
// Two contexts end it. The soft one is the first Ctrl-C: no more steps start, and those that run finish. The
// hard one is the second: calls are cut off, and their results are left to a later observation.
type apply struct {
	engine   *recovery.Recovery
	plan     *plan.Planned
	o        Options
	soft     context.Context // when it ends, running actions finish and no others start
	hard     context.Context // when it ends, running actions are canceled
	toStart  context.Context // ends with soft, and when the apply yields: what has not started does not start
	started  time.Time
	slots    *slots
	operator bool // an action of an operator, which does not apply a configuration
	opened   query.Opened
	leaves   map[resource.Ref]bool // to be replaced

	mu       sync.Mutex // guards the fields below
	outcomes map[stepOf]Outcome
	made     map[resource.Ref]resource.Observed // by this apply, or by another one since the plan
	replaced map[resource.Ref]string            // ids that are left of the replacements which this apply finished
	renamed  map[resource.Ref]bool              // by their new names
	failure  error                              // the ledger cannot be written: nothing more starts
}

// stepOf is one phase of a decision.
type stepOf struct {
	decision int
	phase    decider.Phase
}

// newApply prepares an apply without starting anything. Zero Options become defaults here.
func newApply(ctx context.Context, e *recovery.Recovery, p *plan.Planned, o Options) *apply {
	if o.Parallelism <= 0 {
		o.Parallelism = defaultParallelism
		// An apply has one set of slots for all its stacks, so the last stack that sets a limit decides.
		for _, i := range p.Intents {
			if i.Options.Parallelism > 0 {
				o.Parallelism = i.Options.Parallelism
			}
		}
	}
	if o.Backoff <= 0 {
		o.Backoff = defaultBackoff
	}
	hard := o.Hard
	if hard == nil {
		hard = context.WithoutCancel(ctx)
	}
	if o.Control == nil {
		o.Control = &Control{}
	}
	return &apply{
		engine: e, plan: p, o: o, soft: ctx, hard: hard, started: e.Clock(), slots: newSlots(o.Parallelism, o.Control),
		outcomes: map[stepOf]Outcome{}, made: map[resource.Ref]resource.Observed{}, replaced: map[resource.Ref]string{},
		renamed: map[resource.Ref]bool{}, leaves: leavingOf(p),
	}
}

// record writes events even if the apply's context has ended, because they have happened. An error
// stops the apply, see fail.
func (a *apply) record(events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	_, err := a.engine.Ledger.Record(context.WithoutCancel(a.soft), events...)
	if err != nil {
		return a.fail(err)
	}
	return nil
}

// fail keeps the first error of the ledger, after which nothing more starts: an action that cannot be recorded
// must not be performed.
func (a *apply) fail(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failure == nil {
		a.failure = fmt.Errorf("the apply stopped because it could not record its actions: %w", err)
	}
	return a.failure
}

// broken returns the error that stopped the apply; nil while its actions can be recorded.
func (a *apply) broken() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure
}

// note keeps the outcome of a step. A later outcome of the same step replaces an earlier one: a skipped step may still
// be refused.
func (a *apply) note(s stepOf, o Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes[s] = o
}

// noteResource keeps the resource that exists now, for references to it. Nil means that the
// resource no longer exists.
func (a *apply) noteResource(ref resource.Ref, o *resource.Observed) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o == nil {
		delete(a.made, ref)
		return
	}
	a.made[ref] = *o
}

// prove checks, under the claim, that a resource which is about to be deleted or set aside is still
// proven: an operator may have forgotten or moved it since the plan. An unproven resource is an
// *unprovenError, after which nothing is done to it; a read that failed stops the apply.
func (a *apply) prove(ctx context.Context, ref resource.Ref, id string) error {
	err := a.engine.Ledger.Confirmed(ctx, ref, id)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrUnproven):
		return &unprovenError{ref, id, err}
	}
	return a.readFailed(ctx, err)
}

// stopped reports whether no more steps may start.
func (a *apply) stopped() bool {
	return a.soft.Err() != nil || a.hard.Err() != nil || a.broken() != nil
}
