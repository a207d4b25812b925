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
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Options control an apply. Zero fields are defaults.
type Options struct {
	Parallelism int           // actions in parallel; 0: the intents' own, else 10
	Tries       int           // calls of one action, retried for recoverable errors; 0: 5
	Backoff     time.Duration // before the second call, doubled each time; 0: 500 ms
	// Hard is a context whose end stops calls in flight too: the second Ctrl-C. The end of
	// Apply's own context lets them finish and begins no more. nil: calls are never cut off.
	Hard context.Context
	// Waits, if set, is called, from many goroutines, when an apply waits until a resource of a count is
	// healthy, with why it is not; and with "" when that ends.
	Waits func(ref resource.Ref, why string)
	// Approved, if set, is recorded before anything starts.
	Approved *event.Approved
}

// readFailed handles a failed read of the ledger: if the claim was lost meanwhile, it stops this
// action, else the apply.
func (a *apply) readFailed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, coordinator.ErrLost) {
		return cause
	}
	return a.fail(err)
}

// Defaults of an apply.
const (
	defaultParallelism = 10
	defaultTries       = 5
	defaultBackoff     = 500 * time.Millisecond
	retryFor           = 5 * time.Minute // after which a failing call is not retried
)

// apply is one apply in progress.
type apply struct {
	engine   *recovery.Recovery
	plan     *plan.Planned
	o        Options
	soft     context.Context // when it ends, running actions finish and no others start
	hard     context.Context // when it ends, running actions are canceled
	started  time.Time
	operator bool // an action of an operator, which does not apply a configuration
	turns    turnsTaken
	awaited  map[resource.Ref]bool // others of their count have their turn after these

	mu       sync.Mutex // guards the fields below
	outcomes map[stepOf]Outcome
	made     map[resource.Ref]resource.Observed // by this apply, or by another one since the plan
	replaced map[resource.Ref]string            // ids that are left of the replacements which this apply finished
	failure  error                              // the ledger cannot be written: nothing more starts
}

// stepOf is one phase of a decision.
type stepOf struct {
	decision int
	phase    decider.Phase
}

func newApply(ctx context.Context, e *recovery.Recovery, p *plan.Planned, o Options) *apply {
	if o.Parallelism <= 0 {
		o.Parallelism = defaultParallelism
		for _, i := range p.Intents {
			if i.Options.Parallelism > 0 {
				o.Parallelism = i.Options.Parallelism
			}
		}
	}
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	if o.Backoff <= 0 {
		o.Backoff = defaultBackoff
	}
	hard := o.Hard
	if hard == nil {
		hard = context.WithoutCancel(ctx)
	}
	return &apply{
		engine: e, plan: p, o: o, soft: ctx, hard: hard, started: e.Clock(),
		outcomes: map[stepOf]Outcome{}, made: map[resource.Ref]resource.Observed{}, replaced: map[resource.Ref]string{},
		awaited: awaited(p.Plan),
	}
}

// record writes events even if the apply's context has ended, because they have happened.
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

// fail keeps the first error of the ledger, after which nothing more starts.
func (a *apply) fail(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failure == nil {
		a.failure = fmt.Errorf("the apply stopped because it could not record its actions: %w", err)
	}
	return a.failure
}

func (a *apply) broken() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure
}

// announce records the approval, the blessings and the blocked decisions.
func (a *apply) announce() error {
	var events []event.Event
	if a.o.Approved != nil {
		events = append(events, *a.o.Approved)
	}
	events = append(events, a.blessings()...)
	for _, d := range a.plan.Plan.Decisions {
		if a.plan.Open[d.Ref].Accepted { // on record as accepted, and until when
			continue
		}
		if d.Proposed.Executes() && !d.Action.Executes() && len(d.Blockers) > 0 && !d.Excluded() && (d.Blockers[0].Policy != follow.PolicyName || d.Blockers[0].Awaits == "") { // a wave is on record
			events = append(events, event.Blocked{Plan: a.plan.ID, Ref: d.Ref, Proposed: d.Proposed, Blockers: d.Blockers})
		}
	}
	return a.record(events...)
}

// recordNotStarted records the decisions that were not started.
func (a *apply) recordNotStarted() {
	var events []event.Event
	a.mu.Lock()
	for i := range a.plan.Plan.Decisions {
		d := &a.plan.Plan.Decisions[i]
		if !d.Action.Executes() {
			continue
		}
		o := a.outcomeOf(i)
		if o.Status.called() || o.Status == ByOther {
			continue
		}
		why := string(o.Status)
		switch {
		case a.failure != nil:
			why = "broken"
		case o.Status == Refused:
			why = "check"
		case o.Status == WaitingFor && o.Turn:
			why = "turn"
		}
		events = append(events, event.NotStarted{Plan: a.plan.ID, Ref: d.Ref, Action: d.Action, Why: why, On: o.On, Detail: o.Detail})
	}
	broken := a.failure != nil
	a.mu.Unlock()
	if !broken {
		_ = a.record(events...) // record keeps its error
	}
}

// note keeps the outcome of a step.
func (a *apply) note(s stepOf, o Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes[s] = o
}

// noteResource keeps the resource that exists now, for references to it.
func (a *apply) noteResource(ref resource.Ref, o *resource.Observed) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o == nil {
		delete(a.made, ref)
		return
	}
	a.made[ref] = *o
}

// Run performs a plan. An error means that the whole apply stopped, because the ledger cannot be
// written; failures of single actions are in the result, which is never nil.
func Run(ctx context.Context, e *recovery.Recovery, p *plan.Planned, o Options) (*Result, error) {
	a := newApply(ctx, e, p, o)
	if p.Past {
		return a.result(), errors.New("a plan at a past revision cannot be applied")
	}
	if err := a.announce(); err != nil {
		return a.result(), err
	}
	a.walk(decider.Steps(p.Plan))
	a.recordNotStarted()
	return a.result(), a.broken()
}

// Single performs one decision for an operator, in the same way as an apply, and returns the resource.
func Single(ctx context.Context, e *recovery.Recovery, p *plan.Planned, d decider.Decision) (resource.Observed, error) {
	p.Plan = decider.Plan{Decisions: []decider.Decision{d}}
	a := newApply(ctx, e, p, Options{})
	a.operator = true
	out := a.act(&p.Plan.Decisions[0], decider.CreatePhase)
	if !out.Status.good() {
		return resource.Observed{}, errors.Join(fmt.Errorf("%s: %s", out.Status, out.Detail), out.Err)
	}
	return a.made[d.Ref], nil
}
