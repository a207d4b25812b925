package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Defaults of an apply.
const (
	defaultParallelism = 10
	defaultTries       = 5
	defaultBackoff     = 500 * time.Millisecond
	retryFor           = 5 * time.Minute // after which a failing call is not retried
)

// apply is one apply in progress.
type apply struct {
	engine   *Engine
	plan     *Planned
	o        ApplyOptions
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

func (e *Engine) newApply(ctx context.Context, p *Planned, o ApplyOptions) *apply {
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
		engine: e, plan: p, o: o, soft: ctx, hard: hard, started: e.cfg.Clock(),
		outcomes: map[stepOf]Outcome{}, made: map[resource.Ref]resource.Observed{}, replaced: map[resource.Ref]string{},
		awaited: awaited(p.Plan),
	}
}

// record writes events even if the apply's context has ended, because they have happened.
func (a *apply) record(events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	_, err := a.engine.cfg.Ledger.Record(context.WithoutCancel(a.soft), events...)
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
		if a.plan.open[d.Ref].Accepted { // on record as accepted, and until when
			continue
		}
		if d.Proposed.Executes() && !d.Action.Executes() && len(d.Blockers) > 0 && !d.Excluded() && (d.Blockers[0].Policy != RolloutPolicy || d.Blockers[0].Awaits == "") { // a wave is on record
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
