package engine

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Status is what came of one action.
type Status string

// The statuses.
const (
	Done        Status = "done"
	ByOther     Status = "done_by_other" // somebody else had done it meanwhile
	Failed      Status = "failed"
	Uncertain   Status = "uncertain"   // the call may have worked; the next look tells
	WaitingFor  Status = "waiting"     // not begun: what it needs failed or was not begun
	Interrupted Status = "interrupted" // not begun: the apply was stopped
	Claimed     Status = "held"        // not begun: somebody else has the claim
	Stale       Status = "stale"       // not begun: the thing changed since the plan
)

// good says that the thing is now as the plan wanted it.
func (s Status) good() bool { return s == Done || s == ByOther }

// called says that the provider was called.
func (s Status) called() bool { return s == Done || s == Failed || s == Uncertain }

// Outcome is what came of one decision that was to be executed.
type Outcome struct {
	Ref         resource.Ref
	Action      decider.Action
	Status      Status
	ID          string
	Err         error
	Class       provider.Class
	Recoverable bool
	On          resource.Ref // of Waiting: what it waits for
	ClaimedBy   string       // of Held: who has it; of ByOther: who did it
	Detail      string       // a sentence, for people
	Seconds     float64
}

// Result is what an apply did.
type Result struct {
	Plan        string
	Outcomes    []Outcome    // sorted by ref; one for each decision that executes
	Counts      event.Counts // of what was done
	Interrupted bool
	Took        time.Duration
}

// result sums up. What was neither done nor refused has an outcome too: it was not begun.
func (a *apply) result() *Result {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &Result{Plan: a.plan.ID, Took: a.engine.cfg.Clock().Sub(a.started)}
	r.Counts = event.Standing(a.plan.Plan)
	for i := range a.plan.Plan.Decisions {
		if !a.plan.Plan.Decisions[i].Action.Executes() {
			continue
		}
		o := a.outcomeOf(i)
		r.Interrupted = r.Interrupted || o.Status == Interrupted
		o.count(&r.Counts)
		r.Outcomes = append(r.Outcomes, o)
	}
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int { return a.Ref.Compare(b.Ref) })
	return r
}

// count puts an outcome where people look for it. What changed since the plan was not done
// as planned, which is a failure.
func (o Outcome) count(c *event.Counts) {
	switch o.Status {
	case Done:
		c.Add(o.Action)
	case ByOther:
		c.Unchanged++
	case Failed, Uncertain, Stale:
		c.Failed++
	case Claimed:
		c.Claimed++
	case WaitingFor, Interrupted:
		c.NotStarted++
	}
}

// outcomeOf joins the halves of a replace: the later one tells, unless the first failed.
func (a *apply) outcomeOf(decision int) Outcome {
	d := &a.plan.Plan.Decisions[decision]
	take, took := a.outcomes[stepOf{decision, decider.DeletePhase}]
	made, tried := a.outcomes[stepOf{decision, decider.CreatePhase}]
	switch {
	case took && tried && take.Status.good():
		made.Seconds += take.Seconds
		if !made.Status.called() && !made.Status.good() {
			made.Detail = "the old one is gone, the new one was not made: " + made.Detail
		}
		return made
	case took && (!tried || !take.Status.good()):
		return take
	case tried:
		return made
	}
	return Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was stopped before"}
}
