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
	Claimed     Status = "claimed"     // not begun: somebody else has the claim
	Accepted    Status = "accepted"    // the provider goes on by itself; a later observation tells how it ended
	Refused     Status = "refused"     // not started: the provider's check says that it would fail
	Stale       Status = "stale"       // not begun: the thing changed since the plan
)

// good says that the thing is now as the plan wanted it.
func (s Status) good() bool { return s == Done || s == ByOther }

// called says that the provider was called.
func (s Status) called() bool { return s == Done || s == Failed || s == Uncertain || s == Accepted }

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
	// Deleted and Created are what was done of a replace that stopped in between.
	Deleted, Created bool
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
// as planned, which is a failure; of a replacement that stopped in between, what was done counts
// too.
func (o Outcome) count(c *event.Counts) {
	switch o.Status {
	case Done, Accepted:
		c.Add(o.Action)
	case ByOther:
		c.Unchanged++
	case Failed, Uncertain, Stale, Refused:
		c.Failed++
	case Claimed:
		c.Claimed++
	case WaitingFor, Interrupted:
		c.NotStarted++
	}
	if o.Deleted {
		c.Delete++
	}
	if o.Created {
		c.Create++
	}
}

// outcomeOf joins the steps of a replace: the one that stopped it tells, else the last.
func (a *apply) outcomeOf(decision int) Outcome {
	d := &a.plan.Plan.Decisions[decision]
	first, second := decider.DeletePhase, decider.CreatePhase
	if d.Strategy != "" && d.Strategy.KeepsOld() {
		first, second = second, first
	}
	one, began := a.outcomes[stepOf{decision, first}]
	two, went := a.outcomes[stepOf{decision, second}]
	switch {
	case began && went && one.Status.good():
		two.Seconds += one.Seconds
		if !two.Status.good() {
			two.Deleted, two.Created = first == decider.DeletePhase, first == decider.CreatePhase
			two.Detail = halfDone(two) + two.Detail
		}
		if two.ID == "" || second == decider.DeletePhase {
			two.ID = one.ID
		}
		return two
	case began:
		return one
	case went:
		return two
	}
	return Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was stopped before"}
}

func halfDone(o Outcome) string {
	if o.Deleted {
		return "the old one is deleted, the new one is not created: "
	}
	return "the new one is created, the old one is not deleted: "
}
