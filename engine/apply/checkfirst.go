package apply

import (
	"slices"
	"sync"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// checkFirst asks the providers, before the first action, to check the creates of the kinds that say
// CheckFirst. It returns the outcomes of those that are refused, by decision.
func (a *apply) checkFirst(steps []decider.Step) map[int]Outcome {
	refused := map[int]Outcome{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	free := make(chan struct{}, a.o.Parallelism)
	for _, s := range steps {
		d := &a.plan.Plan.Decisions[s.Decision]
		k := a.engine.Kind(d.Ref)
		if d.Action != decider.Create || !k.CheckFirst {
			continue
		}
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			if o := a.refusedFirst(d); o != nil {
				mu.Lock()
				defer mu.Unlock()
				refused[s.Decision] = *o
			}
		})
	}
	wg.Wait()
	return refused
}

// refusedFirst checks one create; nil: it may start. What may pass by itself is left to the create, and
// so is a conflict with what the same plan may destroy first.
func (a *apply) refusedFirst(d *decider.Decision) *Outcome {
	err, done := a.plan.Checked[d.Ref]
	if !done {
		err = a.ask(a.soft, d, provider.Request{Key: a.keyFor(d), Owner: a.engine.Owner})
	}
	class := provider.ClassOf(err)
	switch {
	case err == nil || a.soft.Err() != nil || provider.Recoverable(err) || isUncertain(err):
		return nil
	case class == provider.Conflict && a.destroysIn(d.Ref.Scope()):
		return nil
	}
	return &Outcome{Ref: d.Ref, Action: d.Action, Status: Refused, Err: err, Class: class, Detail: "nothing was changed: " + refusal(err)}
}

// keyFor is the key of an earlier attempt, of which the provider may have something.
func (a *apply) keyFor(d *decider.Decision) string {
	return a.plan.Tries[d.Ref].Of(d.DesiredDigest()).Key
}

func (a *apply) destroysIn(s resource.Scope) bool {
	for i := range a.plan.Plan.Decisions {
		if d := &a.plan.Plan.Decisions[i]; d.Ref.Scope() == s && d.Action.Destroys() {
			return true
		}
	}
	return false
}

// refuse skips the steps that were refused, their dependents, and the creates that nothing else needs.
func (w *walker) refuse(refused map[int]Outcome) {
	for i, s := range w.steps {
		if o, is := refused[s.Decision]; is && w.waits[i] >= 0 {
			w.waits[i] = -1
			w.note(stepOf{s.Decision, s.Phase}, o)
			w.skipAfter(i, o)
		}
	}
	if len(refused) == 0 {
		return
	}
	for i := len(w.steps) - 1; i >= 0; i-- { // each step is after those that it waits for
		s := w.steps[i]
		d := &w.plan.Plan.Decisions[s.Decision]
		needs := slices.DeleteFunc(slices.Clone(w.next[i]), func(n int) bool { return w.isTurn(n, s) })
		if w.waits[i] < 0 || d.Action != decider.Create || len(needs) == 0 || !w.allSkipped(needs) {
			continue
		}
		on := w.decision(w.steps[needs[0]]).Ref
		w.waits[i] = -1
		w.note(stepOf{s.Decision, s.Phase}, Outcome{
			Ref: d.Ref, Action: d.Action, Status: Unneeded, On: on, Detail: "only " + on.String() + " and the like need it, which are not started",
		})
	}
}

func (w *walker) allSkipped(steps []int) bool {
	for _, n := range steps {
		if w.waits[n] >= 0 {
			return false
		}
	}
	return true
}
