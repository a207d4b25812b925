package apply

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/storage"
)

// publish records the outputs whose values differ after the actions. An apply that was interrupted or replaced by a
// newer one records none: the next plan lists them.
func publish(a *apply) (recorded []outputs.Change, unknown []outputs.Unknown, err error) {
	if a.stopped() || a.toStart.Err() != nil || a.broken() != nil {
		return nil, nil, a.broken()
	}
	ctx := context.WithoutCancel(a.soft)
	changes, unknown, err := a.plan.Outputs(ctx, a.engine.Ledger.Reader(), storage.Now, published(a), stays(a))
	if err != nil {
		return nil, nil, a.fail(err)
	}
	changes = slices.DeleteFunc(changes, func(c outputs.Change) bool { // it has changed since the plan was saved
		return slices.ContainsFunc(a.plan.Unsaved, func(x outputs.Change) bool { return x.Compare(c) == 0 })
	})
	var events []event.Event
	for _, in := range a.plan.Intents {
		e := event.OutputsChanged{Stack: in.Stack, Plan: a.plan.ID}
		for _, c := range changes {
			switch {
			case c.Stack != in.Stack:
			case c.Missing != "":
				e.Missing = append(e.Missing, event.MissingOutput{Name: c.Name, Why: c.Missing})
			case c.To == nil:
				e.Removed = append(e.Removed, c.Name)
			default:
				e.Set = append(e.Set, resource.Attr{Name: c.Name, Value: c.To})
			}
		}
		if len(e.Set)+len(e.Removed)+len(e.Missing) > 0 {
			events = append(events, e)
		}
	}
	return changes, unknown, a.record(events...)
}

// stays returns whether a resource that the plan deletes is still there after the actions.
func stays(a *apply) func(*decider.Decision) bool {
	gone := map[resource.Ref]bool{}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.plan.Plan.Decisions {
		if a.plan.Plan.Decisions[i].Action.Executes() && a.outcomeOf(i).Status.good() {
			gone[a.plan.Plan.Decisions[i].Ref] = true
		}
	}
	return func(d *decider.Decision) bool { return d.Proposed.Destroys() && !gone[d.Ref] }
}

// published returns the values of references after the actions. A resource whose action did not succeed has no values.
func published(a *apply) func(resource.Reference) outputs.Answer {
	failed := map[resource.Ref]bool{}
	a.mu.Lock()
	for i := range a.plan.Plan.Decisions {
		if d := &a.plan.Plan.Decisions[i]; d.Action.Executes() && !a.outcomeOf(i).Status.good() {
			failed[d.Ref] = true
		}
	}
	// The returned function calls known, which takes the lock again.
	a.mu.Unlock()
	return func(r resource.Reference) outputs.Answer {
		if o, found := a.known(r.Ref); found && !failed[r.Ref] {
			return outputs.Of(&o, r)
		}
		return outputs.None(r)
	}
}
