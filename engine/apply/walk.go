package apply

import (
	"slices"

	"github.com/ovi-project/ovi/decider"
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
	return stepResult{i, a.inTurn(d, s.Phase)}
}

// walker tracks the graph of steps during a walk.
type walker struct {
	*apply
	steps []decider.Step
	waits []int   // how many steps each still waits for
	next  [][]int // the steps that wait for each
	ready []int
}

// finish releases the steps that waited for a step, or skips them if it failed. What only has its turn
// after a resource is skipped too if that is not in service.
func (w *walker) finish(r stepResult) {
	s := w.steps[r.step]
	w.note(stepOf{s.Decision, s.Phase}, r.outcome)
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
}

// skip sets the outcome of a step that waits for one which failed, and of all that wait for it. If the
// apply was interrupted, they are Interrupted too.
func (w *walker) skip(step int, after decider.Step, cause Outcome) {
	s := w.steps[step]
	w.waits[step] = -1
	out := w.waiting(step, after, cause)
	w.note(stepOf{s.Decision, s.Phase}, out)
	w.skipAfter(step, out)
}

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

func (w *walker) waiting(step int, after decider.Step, cause Outcome) Outcome {
	d, on := w.decision(w.steps[step]), w.decision(after).Ref
	if cause.Status == Interrupted {
		return Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, On: on, Detail: cause.Detail}
	}
	o := Outcome{Ref: d.Ref, Action: d.Action, Status: WaitingFor, On: on, Detail: "it waits for " + on.String() + ", which is " + string(cause.Status)}
	if o.Turn = w.isTurn(step, after); o.Turn {
		o.Detail = "its turn is after " + on.String() + ", which is " + string(cause.Status)
		if cause.unready != nil {
			o.Detail = "its turn is after " + on.String() + ", which " + cause.unready.Error()
		}
	}
	return o
}
