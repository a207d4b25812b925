package apply

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// ask calls the provider's check, if it has one, with the references that are known now. Nil means
// that nothing speaks against the request, or that the provider has no check. A check that could
// not be completed is an error, and so is a panic.
func (a *apply) ask(ctx context.Context, d *decider.Decision, r provider.Request) (err error) {
	c, ok := a.engine.Providers[d.Ref.Provider].(provider.Checker)
	if !ok || d.Desired == nil {
		return nil
	}
	defer func() {
		if x := recover(); x != nil {
			err = &panicError{x, debug.Stack()}
		}
		// A check that was cut off or throttled has refused nothing, and its error must not read like a refusal.
		if provider.Repeats(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			err = provider.Errorf("the check could not be completed: %w", err)
		}
		err = quiet(a.engine, err, &r)
	}()
	// A thing that another resource gives up first is no reason to refuse the request.
	for _, t := range d.Takes {
		if t.Leaves {
			r.Vacated = append(r.Vacated, provider.Vacated{Hold: t.Hold, ID: t.ID})
		}
	}
	r.Desired = *d.Desired
	if d.Action == decider.Replace {
		r.Replaces, r.Desired.Replace = d.Observed, d.Strategy
	}
	k := a.engine.Kind(d.Ref)
	// References to resources that are about to be replaced stay references, because their values are about to change.
	known := withoutLeaving(a.leaves, a.resolver(ctx, d.Ref, nil), func(ref resource.Ref) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		_, made := a.made[ref]
		return made
	})
	r.Desired.Attrs = k.Resolve(d.Desired.Attrs, known)
	return c.Check(provider.WithRequest(ctx, &r), r)
}

// Check asks the providers to check everything that the plan would create, replace or change, and
// adds their errors to the plan as warnings. As many checks run at a time as an apply runs actions. They
// write nothing. An apply of the plan uses the stored results for its checks before the first action.
func Check(ctx context.Context, e *recovery.Recovery, p *plan.Planned) {
	a := newApply(ctx, e, p, Options{})
	errs := make([]error, len(p.Plan.Decisions))
	var running sync.WaitGroup
	free := newPlaces(a.o.Parallelism)
	p.Checked = map[resource.Ref]error{}
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if !d.Action.Executes() || d.Action == decider.Delete {
			continue
		}
		// A key without an error counts as checked: the apply does not ask again.
		p.Checked[d.Ref] = nil
		leave := free.enter(ctx)
		running.Go(func() {
			defer leave()
			r := provider.Request{Key: a.keyFor(d), Owner: e.Owner, Changes: d.Changes}
			if d.Observed != nil {
				r.Have = *d.Observed
			}
			errs[i] = a.ask(ctx, d, r)
		})
	}
	running.Wait()
	for i, err := range errs {
		if d := &p.Plan.Decisions[i]; err != nil {
			p.Checked[d.Ref] = err
			d.Warnings = append(d.Warnings, decider.Warning{Policy: "check", Text: refusal(err)})
		}
	}
}

// keyFor is the key of an earlier attempt, of which the provider may have something. It is empty if no attempt of the
// configuration is recorded.
func (a *apply) keyFor(d *decider.Decision) string {
	return a.plan.Tries[d.Ref].Of(d.DesiredDigest()).Key
}
