package apply

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// walk performs the steps in parallel, up to the limit. A step starts when all steps that it waits
// for have succeeded. If one of them fails, it does not start, and neither do its own dependents;
// the other steps continue. Creates that can be checked are checked first, see firstChecks. It returns
// when no step runs and none can start. Only the goroutine of the walk notes outcomes.
func walk(a *apply, steps []decider.Step) {
	w := walker{
		turns: &turns{
			apply: a, awaited: awaited(a.plan.Plan), members: decider.SetsOf(a.plan.Intents),
			sets: map[resource.Ref]*turnsOfSet{},
		},
		steps: steps, started: make([]bool, len(steps)), waits: make([]int, len(steps)), next: make([][]int, len(steps)),
	}
	for i, s := range steps {
		w.waits[i] = len(s.After)
		for _, n := range s.After {
			w.next[n] = append(w.next[n], i)
		}
	}
	w.withhold()
	w.first = &firstChecks{plan: a.plan.Plan, steps: steps, needers: w.needs()}
	w.first.start(a.toStart, w.toCheck(), a.o.Parallelism, w.refusedFirst)
	defer w.first.quit()
	w.sort()
	w.awaitFirst()
	for i, n := range w.waits {
		if n == 0 {
			w.ready = append(w.ready, i)
		}
	}
	// The walk returns only when no step runs, so every step finds a receiver for its result.
	finished := make(chan stepResult)
	for running := 0; ; {
		for len(w.ready) > 0 && !a.stopped() {
			i := w.ready[0]
			d := w.decision(steps[i])
			switch {
			case w.waits[i] < 0: // withheld since it was ready
				w.ready = w.ready[1:]
				continue
			case !a.o.Control.mayStart(phaseOf{d.Ref, steps[i].Phase}):
				w.ready = w.ready[1:]
				w.finish(stepResult{i, left(d)})
				continue
			case !w.first.admits(i):
				w.ready = w.ready[1:]
				w.first.parked = append(w.first.parked, i)
				continue
			}
			if !a.slots.take() {
				break
			}
			w.ready = w.ready[1:]
			w.started[i] = true
			running++
			go func() { finished <- stepResult{i, w.inTurn(d, steps[i].Phase)} }()
		}
		// No step runs, and no answer of a check can release another one.
		if running == 0 && (len(w.first.asked) == 0 || a.stopped()) {
			return
		}
		select {
		case answer := <-w.first.answers:
			w.answered(answer)
		case r := <-finished:
			running--
			a.slots.free()
			w.finish(r)
		case <-a.slots.freed:
		}
	}
}

// stepResult is the outcome of a step, sent to the goroutine of the walk.
type stepResult struct {
	step    int
	outcome Outcome
}

// walker tracks the graph of steps during a walk. Only the goroutine of the walk changes it; steps report to
// it through a channel. A negative number in waits marks a step that was skipped or refused and never starts.
type walker struct {
	*turns
	steps   []decider.Step
	started []bool
	waits   []int   // how many steps each still waits for
	next    [][]int // the steps that wait for each
	ready   []int
	first   *firstChecks
}

// finish releases the steps that waited for a step, or skips them if it failed. A step that only has its
// turn after a resource is skipped too if that resource is not in service.
func (w *walker) finish(r stepResult) {
	s := w.steps[r.step]
	w.note(stepOf{s.Decision, s.Phase}, r.outcome)
	w.o.Control.ended(s)
	for _, n := range w.next[r.step] {
		switch {
		case w.waits[n] < 0: // skipped already
		case !r.outcome.Status.good(), r.outcome.unready != nil && w.isTurn(n, s):
			w.skip(n, s, r.outcome)
		default:
			if w.waits[n]--; w.waits[n] == 0 {
				w.ready = append(w.ready, n)
			}
		}
	}
	// A failed step may be the successor that a delete makes room for.
	if !r.outcome.Status.good() {
		w.withhold()
	}
}

// withhold skips the deletes that only make room for resources which were refused or failed.
// Deleting would otherwise leave nothing in the place of the old resource.
func (w *walker) withhold() {
	p := w.plan.Plan
	if !slices.ContainsFunc(p.Decisions, func(d decider.Decision) bool { return len(d.Takes) > 0 }) {
		return
	}
	bad := map[int]decider.Step{} // the step of a decision that was refused or failed
	for i, s := range w.steps {
		if o, ended := w.outcomes[stepOf{s.Decision, s.Phase}]; w.waits[i] < 0 || ended && !o.Status.good() {
			bad[s.Decision] = s
		}
	}
	held := decider.Withheld(p, w.steps, func(d int) bool { _, is := bad[d]; return is },
		func(i int) bool { return w.started[i] })
	for i := range w.steps {
		if held[i] && w.waits[i] >= 0 {
			w.skipDelete(i, bad)
		}
	}
}

// skipDelete skips a step whose successor is not started, and all that wait for the step.
func (w *walker) skipDelete(step int, bad map[int]decider.Step) {
	s := w.steps[step]
	d := w.decision(s)
	out := Outcome{
		Ref: d.Ref, Action: d.Action, Status: WaitingFor, Detail: "the resource that takes its place is not started",
	}
	for _, k := range slices.Sorted(maps.Keys(bad)) {
		after := bad[k]
		heir := &w.plan.Plan.Decisions[k]
		if slices.ContainsFunc(heir.Takes, func(t comparator.Take) bool { return t.Leaves && t.By == d.Ref }) {
			cause := w.outcomes[stepOf{after.Decision, after.Phase}]
			out.On = heir.Ref
			out.Detail = fmt.Sprintf("it makes room for %s, which is %s", heir.Ref, cause.Status)
			if cause.Status == Interrupted || cause.Status == Yielded {
				out.Status = cause.Status
			}
		}
	}
	w.waits[step] = -1
	w.note(stepOf{s.Decision, s.Phase}, out)
	w.o.Control.ended(s)
	w.skipAfter(step, out)
}

// skip sets the outcome of a step that waits for one which failed, and of all that wait for it. If the
// apply was interrupted, they are Interrupted too.
func (w *walker) skip(step int, after decider.Step, cause Outcome) {
	s := w.steps[step]
	w.waits[step] = -1
	out := w.waiting(step, after, cause)
	w.note(stepOf{s.Decision, s.Phase}, out)
	w.o.Control.ended(s)
	w.skipAfter(step, out)
}

// skipAfter skips the steps that wait for a step which does not start, with its outcome as their cause.
func (w *walker) skipAfter(step int, cause Outcome) {
	for _, n := range w.next[step] {
		if w.waits[n] >= 0 {
			w.skip(n, w.steps[step], cause)
		}
	}
}

// isTurn reports whether a step waits for another because of its turn alone.
func (w *walker) isTurn(step int, after decider.Step) bool {
	d, on := w.decision(w.steps[step]), w.decision(after).Ref
	return d.Turn != nil && slices.Contains(d.Turn.After, on) && !slices.Contains(d.DependsOn, on)
}

func (w *walker) decision(s decider.Step) *decider.Decision {
	return &w.plan.Plan.Decisions[s.Decision]
}

// waiting returns the outcome of a step that does not start because of another one. A yield and an interrupt pass on to
// it, because no step failed.
func (w *walker) waiting(step int, after decider.Step, cause Outcome) Outcome {
	d, on := w.decision(w.steps[step]), w.decision(after).Ref
	if cause.Status == Yielded {
		return left(d)
	}
	if cause.Status == Interrupted {
		return Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, On: on, Detail: cause.Detail}
	}
	o := Outcome{
		Ref: d.Ref, Action: d.Action, Status: WaitingFor, On: on,
		Detail: "it waits for " + on.String() + ", which is " + string(cause.Status),
	}
	if o.Turn = w.isTurn(step, after); o.Turn {
		o.Detail = "its turn is after " + on.String() + ", which is " + string(cause.Status)
		if cause.unready != nil {
			o.Detail = "its turn is after " + on.String() + ", which " + cause.unready.Error()
		}
	}
	return o
}

// toCheck lists the creates of the kinds that say CheckFirst, and the creates that something makes room for.
func (w *walker) toCheck() (all []int) {
	for i, s := range w.steps {
		d := w.decision(s)
		if d.Action == decider.Create && w.waits[i] >= 0 && (w.engine.Kind(d.Ref).CheckFirst || d.TakesRoom()) {
			all = append(all, s.Decision)
		}
	}
	return all
}

// refusedFirst checks one create and returns nil if it may start. It does not refuse for a reason that may
// pass without a change, or for a conflict with a resource that the same plan may destroy first.
func (w *walker) refusedFirst(ctx context.Context, decision int) *Outcome {
	d := &w.plan.Plan.Decisions[decision]
	err, done := w.plan.Checked[d.Ref]
	if !done {
		err = w.ask(ctx, d, provider.Request{Key: w.keyFor(d), Owner: w.engine.Owner})
	}
	cause := provider.CauseOf(err)
	switch {
	case err == nil || ctx.Err() != nil || provider.Repeats(err) || isUncertain(err):
		return nil
	case cause == provider.InUse && w.destroysIn(d.Ref.Scope()):
		return nil
	}
	return &Outcome{
		Ref: d.Ref, Action: d.Action, Status: Refused, Err: err, Cause: cause, Detail: "nothing was changed: " + refusal(err),
	}
}

// destroysIn reports whether the plan destroys something in a scope. That may free the thing which a check found in
// use.
func (w *walker) destroysIn(s resource.Scope) bool {
	for i := range w.plan.Plan.Decisions {
		if d := &w.plan.Plan.Decisions[i]; d.Ref.Scope() == s && d.Action.Destroys() {
			return true
		}
	}
	return false
}

// refuse skips the steps that were refused, their dependents, and the creates that nothing else
// needs. Such a create would make something that nothing uses. A step that was skipped before is
// refused all the same: its outcome does not depend on which check ends first.
func (w *walker) refuse(refused map[int]Outcome) {
	for i, s := range w.steps {
		o, is := refused[s.Decision]
		if !is {
			continue
		}
		w.note(stepOf{s.Decision, s.Phase}, o)
		if w.waits[i] >= 0 {
			w.waits[i] = -1
			w.o.Control.ended(s)
		}
	}
	for i, s := range w.steps {
		if o, is := refused[s.Decision]; is {
			w.skipAfter(i, o)
		}
	}
	// A step that is neither skipped nor refused may still start.
	mayStart := func(n int) bool { return w.waits[n] >= 0 }
	for i := len(w.steps) - 1; i >= 0; i-- { // each step is after those that it waits for
		s := w.steps[i]
		d := &w.plan.Plan.Decisions[s.Decision]
		needs := w.first.needers[i]
		if w.started[i] || w.waits[i] < 0 || d.Action != decider.Create || len(needs) == 0 ||
			slices.ContainsFunc(needs, mayStart) {
			continue
		}
		on := w.decision(w.steps[needs[0]]).Ref
		w.waits[i] = -1
		w.note(stepOf{s.Decision, s.Phase}, Outcome{
			Ref: d.Ref, Action: d.Action, Status: Unneeded, On: on,
			Detail: "only " + on.String() + " and the like need it, which are not started",
		})
		w.o.Control.ended(s)
	}
}

// awaitFirst waits for the checks, but not for one that takes long: what a quick check refuses is known before the
// first action, and the actions start in the order of the plan.
func (w *walker) awaitFirst() {
	late := time.NewTimer(slowCheck)
	defer late.Stop()
	for len(w.first.asked) > 0 {
		select {
		case a := <-w.first.answers:
			w.answered(a)
		case <-late.C:
			return
		case <-w.toStart.Done():
			return
		}
	}
}

// answered lets the steps go on that only the given answers were missing for.
func (w *walker) answered(first answer) {
	if refused := w.first.take(first); len(refused) > 0 {
		w.refuse(refused)
		w.withhold()
	}
	// Every parked step is tried again. A step that still waits for an answer is parked once more.
	w.sort()
	w.ready = append(w.ready, w.first.parked...)
	w.first.parked = nil
}

// sort finds the steps that wait for the answer of a check.
func (w *walker) sort() {
	skipped := func(i int) bool { return w.waits[i] < 0 }
	w.first.sort(func(i int) bool { return w.started[i] || skipped(i) }, skipped)
}

// needs lists the steps that wait for each step, other than for their turn.
func (w *walker) needs() [][]int {
	out := make([][]int, len(w.steps))
	for i, s := range w.steps {
		out[i] = slices.DeleteFunc(slices.Clone(w.next[i]), func(n int) bool { return w.isTurn(n, s) })
	}
	return out
}
