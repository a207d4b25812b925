package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Perform performs a plan. An error means that the whole apply stopped, because the ledger cannot
// be written; failures of single actions are in the result, which is never nil. It returns when no
// step runs any more. ctx is the soft context: its end lets running actions finish.
func Perform(ctx context.Context, e *recovery.Recovery, p *plan.Planned, o Options) (*Result, error) {
	a := newApply(ctx, e, p, o)
	if p.Past {
		return a.result(), errors.New("a plan at a past revision cannot be applied")
	}
	steps := decider.Steps(p.Plan)
	a.toStart = a.o.Control.attach(a.soft, p, steps, e.Clock)
	if err := a.announce(); err != nil {
		return a.result(), err
	}
	walk(a, steps)
	a.recordNotStarted()
	// No step runs after the walk, so the values that outputs refer to are final.
	recorded, unknown, err := publish(a)
	r := a.result()
	r.Outputs, r.Unknown = recorded, unknown
	return r, err
}

// Single performs one decision for an operator, in the same way as an apply, and returns the
// resource. It takes the claim, checks for other runs and records start and result like any action.
func Single(ctx context.Context, e *recovery.Recovery, p *plan.Planned, d decider.Decision) (resource.Observed, error) {
	p.Plan = decider.Plan{Decisions: []decider.Decision{d}}
	a := newApply(ctx, e, p, Options{})
	a.operator = true
	// Only this call has the control, so the apply never yields.
	a.toStart = a.o.Control.attach(a.soft, p, nil, e.Clock)
	out := a.act(&p.Plan.Decisions[0], decider.CreatePhase)
	if !out.Status.good() {
		return resource.Observed{}, errors.Join(fmt.Errorf("%s: %s", out.Status, out.Detail), out.Err)
	}
	return a.made[d.Ref], nil
}

// blessings are the resources that are configured as blessed and have the mark, but are not yet
// recorded as blessed. Once recorded, they stay protected without the configuration and the mark.
func (a *apply) blessings() []event.Event {
	var out []event.Event
	for _, in := range a.plan.Intents {
		for i := range in.Resources {
			d := &in.Resources[i]
			if !d.Blessed || a.plan.IsBlessed(d.Ref) {
				continue
			}
			if o, ok := a.plan.ResourceAt(d.Ref); ok && o.Marks.Blessed {
				out = append(out, a.blessing(d))
			}
		}
	}
	return out
}

// result collects the outcomes. A decision that was never reached has an outcome too: Interrupted.
func (a *apply) result() *Result {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &Result{Plan: a.plan.ID, Took: a.engine.Elapsed(a.started)}
	r.Counts = event.Standing(a.plan.Plan)
	for i := range a.plan.Plan.Decisions {
		if !a.plan.Plan.Decisions[i].Action.Executes() {
			continue
		}
		o := a.outcomeOf(i)
		r.Interrupted = r.Interrupted || o.Status == Interrupted
		r.Yielded = r.Yielded || o.Status == Yielded
		o.renames = a.plan.Plan.Decisions[i].OnlyRenames()
		o.count(&r.Counts)
		r.Outcomes = append(r.Outcomes, o)
	}
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int { return decider.CompareNatural(a.Ref, b.Ref) })
	r.Outages = decider.Outages(a.plan.Plan,
		func(i int) bool { return a.outcomes[stepOf{i, decider.DeletePhase}].Status.good() },
		func(i int) bool { return a.outcomeOf(i).Status.good() })
	return r
}

// outcomeOf joins the two phases of a replace: the outcome comes from the phase that stopped it, else from
// the last phase.
func (a *apply) outcomeOf(decision int) Outcome {
	d := &a.plan.Plan.Decisions[decision]
	first, second := decider.DeletePhase, decider.CreatePhase
	if d.Strategy != "" && d.Strategy.KeepsOld() {
		first, second = second, first
	}
	one, hasFirst := a.outcomes[stepOf{decision, first}]
	two, hasSecond := a.outcomes[stepOf{decision, second}]
	switch {
	// The first phase succeeded, so the second one decides.
	case hasFirst && hasSecond && one.Status.good():
		two.Seconds += one.Seconds
		if !two.Status.good() && !two.Reverted {
			two.Deleted, two.Created = first == decider.DeletePhase, first == decider.CreatePhase
			if two.Deleted {
				two.Detail = "the old resource is deleted, the new one is not created: " + two.Detail
			} else {
				two.Detail = "the new resource is created, the old one is not deleted: " + two.Detail
			}
		}
		// The phase that created has the ID of the resource that is left.
		if two.ID == "" || second == decider.DeletePhase {
			two.ID = one.ID
		}
		return two
	case hasFirst:
		return one
	case hasSecond:
		return two
	}
	return Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was interrupted first"}
}

// announce records the approval, the blessings and the blocked decisions.
func (a *apply) announce() error {
	var events []event.Event
	if a.o.Approved != nil {
		events = append(events, *a.o.Approved)
	}
	events = append(append(events, a.plan.PinEvents()...), a.blessings()...)
	for _, d := range a.plan.Plan.Decisions {
		if len(d.Blockers) > 0 && d.Blockers[0].Policy == plan.BusyPolicy { // the apply that works on it records it
			continue
		}
		if a.plan.Open[d.Ref].Accepted { // on record as accepted, and until when
			continue
		}
		// A wave is recorded already.
		if d.Proposed.Executes() && !d.Action.Executes() && len(d.Blockers) > 0 && !d.Excluded() &&
			(d.Blockers[0].Policy != follow.PolicyName || d.Blockers[0].Awaits == "") {
			events = append(events, event.Blocked{Plan: a.plan.ID, Ref: d.Ref, Proposed: d.Proposed, Blockers: d.Blockers})
		}
	}
	return a.record(events...)
}

// recordNotStarted records the decisions that were not started. A history can then tell why a
// planned action did not happen. If the ledger is broken, nothing is recorded.
func (a *apply) recordNotStarted() {
	var events []event.Event
	yielded := event.Yielded{Plan: a.plan.ID}
	a.mu.Lock()
	for i := range a.plan.Plan.Decisions {
		d := &a.plan.Plan.Decisions[i]
		if !d.Action.Executes() {
			continue
		}
		o := a.outcomeOf(i)
		if o.Status == Yielded {
			yielded.Left++
			continue
		}
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
		events = append(events, event.NotStarted{
			Plan: a.plan.ID, Ref: d.Ref, Action: d.Action, Why: why, On: o.On, Detail: o.Detail,
		})
	}
	broken := a.failure != nil
	a.mu.Unlock()
	if yielded.Left > 0 {
		events = append(events, yielded)
	}
	if !broken {
		_ = a.record(events...) // record keeps its error
	}
}
