package engine

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// walk performs the steps in parallel, up to the limit. A step starts when all steps that it waits
// for have succeeded. If one of them fails, it does not start, and neither do its own dependents;
// the other steps continue. Creates that can be checked are checked before the first step.
func (a *apply) walk(steps []decider.Step) {
	w := walker{apply: a, steps: steps, waits: make([]int, len(steps)), next: make([][]int, len(steps))}
	for i, s := range steps {
		w.waits[i] = len(s.After)
		for _, n := range s.After {
			w.next[n] = append(w.next[n], i)
		}
	}
	w.refuse(a.checkFirst(steps))
	for i, n := range w.waits {
		if n == 0 {
			w.ready = append(w.ready, i)
		}
	}
	finished := make(chan stepResult)
	for running := 0; ; running-- {
		for len(w.ready) > 0 && running < a.o.Parallelism && !a.stopped() {
			i := w.ready[0]
			w.ready = w.ready[1:]
			running++
			go func() { finished <- a.step(i, steps[i]) }()
		}
		if running == 0 {
			return
		}
		w.finish(<-finished)
	}
}

// stopped reports whether no more steps may start.
func (a *apply) stopped() bool {
	return a.soft.Err() != nil || a.hard.Err() != nil || a.broken() != nil
}

type stepResult struct {
	step    int
	outcome Outcome
}

// step performs one step.
func (a *apply) step(i int, s decider.Step) stepResult {
	d := &a.plan.Plan.Decisions[s.Decision]
	return stepResult{i, a.act(d, s.Phase)}
}

// walker tracks the graph of steps during a walk.
type walker struct {
	*apply
	steps []decider.Step
	waits []int   // how many steps each still waits for
	next  [][]int // the steps that wait for each
	ready []int
}

// finish releases the steps that waited for a step, or skips them if it failed.
func (w *walker) finish(r stepResult) {
	s := w.steps[r.step]
	w.note(stepOf{s.Decision, s.Phase}, r.outcome)
	if !r.outcome.Status.good() {
		w.skipDependents(r.step, r.outcome)
		return
	}
	for _, n := range w.next[r.step] {
		if w.waits[n]--; w.waits[n] == 0 {
			w.ready = append(w.ready, n)
		}
	}
}

// skipDependents sets the outcome of every step that waits for a failed one, directly or not. If
// the apply was interrupted, they are Interrupted too.
func (w *walker) skipDependents(step int, cause Outcome) {
	on := w.plan.Plan.Decisions[w.steps[step].Decision].Ref
	for _, n := range w.next[step] {
		s := w.steps[n]
		if w.waits[n] < 0 {
			continue // skipped already
		}
		w.waits[n] = -1
		w.note(stepOf{s.Decision, s.Phase}, w.waiting(s, on, cause))
		w.skipDependents(n, cause)
	}
}

func (w *walker) waiting(s decider.Step, on resource.Ref, cause Outcome) Outcome {
	d := &w.plan.Plan.Decisions[s.Decision]
	o := Outcome{Ref: d.Ref, Action: d.Action, Status: WaitingFor, On: on, Detail: "it waits for " + on.String() + ", which is " + string(cause.Status)}
	if cause.Status == Interrupted {
		o.Status, o.Detail = Interrupted, cause.Detail
	}
	return o
}
