package engine

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// walk does the steps, as many side by side as allowed. A step begins when all it waits for
// are done; one whose need failed does not begin, and says on what it waits. The rest goes on.
func (a *apply) walk(steps []decider.Step) {
	w := walker{apply: a, steps: steps, waits: make([]int, len(steps)), next: make([][]int, len(steps))}
	for i, s := range steps {
		w.waits[i] = len(s.After)
		for _, n := range s.After {
			w.next[n] = append(w.next[n], i)
		}
		if w.waits[i] == 0 {
			w.ready = append(w.ready, i)
		}
	}
	ended := make(chan stepResult)
	for running := 0; ; running-- {
		for len(w.ready) > 0 && running < a.o.Parallelism && !a.stopped() {
			i := w.ready[0]
			w.ready = w.ready[1:]
			running++
			go func() { ended <- a.step(i, steps[i]) }()
		}
		if running == 0 {
			return
		}
		w.end(<-ended)
	}
}

// stopped says that nothing more is to be begun.
func (a *apply) stopped() bool {
	return a.soft.Err() != nil || a.hard.Err() != nil || a.broken() != nil
}

type stepResult struct {
	step    int
	outcome Outcome
}

// step does one step.
func (a *apply) step(i int, s decider.Step) stepResult {
	d := &a.plan.Plan.Decisions[s.Decision]
	return stepResult{i, a.act(d, s.Phase)}
}

// walker is the graph of the steps while they are done.
type walker struct {
	*apply
	steps []decider.Step
	waits []int   // how many steps each still waits for
	next  [][]int // who waits for it
	ready []int
}

// end frees what waited for a step, or tells it that it waits in vain.
func (w *walker) end(e stepResult) {
	s := w.steps[e.step]
	w.note(stepOf{s.Decision, s.Phase}, e.outcome)
	if !e.outcome.Status.good() {
		w.skipDependents(e.step, e.outcome)
		return
	}
	for _, n := range w.next[e.step] {
		if w.waits[n]--; w.waits[n] == 0 {
			w.ready = append(w.ready, n)
		}
	}
}

// skipDependents notes for everything behind a step that it waits for it. Where the cause is that
// the apply was stopped, that is what they say too.
func (w *walker) skipDependents(step int, cause Outcome) {
	on := w.plan.Plan.Decisions[w.steps[step].Decision].Ref
	for _, n := range w.next[step] {
		s := w.steps[n]
		if w.waits[n] < 0 {
			continue // told already
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
