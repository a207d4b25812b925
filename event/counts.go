package event

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
)

// Counts are the sizes of a plan, or of what came of it: the one tally that the record, the
// screen and the JSON lines show.
type Counts struct {
	Create      int `json:"create"`
	Update      int `json:"update"`
	Replace     int `json:"replace"`
	Restart     int `json:"restart"`
	Delete      int `json:"delete"`
	Notify      int `json:"notify"`
	Unchanged   int `json:"unchanged"`
	Blocked     int `json:"vetoed"` // held back by a policy
	Unreachable int `json:"blind"`  // scopes not seen
	Failed      int `json:"failed"` // actions that failed
	// NotStarted were not begun: what they need failed, or the run was interrupted.
	NotStarted int `json:"skipped,omitempty"`
	// Claimed are things somebody else held the claim of.
	Claimed int `json:"held,omitempty"`
	// Excluded differ, but --target, --exclude or the saved plan left them out: that is no veto.
	Excluded int `json:"left_out,omitempty"`
}

// Count counts a plan.
func Count(p decider.Plan) Counts {
	c := Standing(p)
	for i := range p.Decisions {
		c.Add(p.Decisions[i].Action)
	}
	return c
}

// Standing counts what an apply of a plan does not touch. What is wanted in a place that was
// not seen is counted with its place, as blind.
func Standing(p decider.Plan) Counts {
	c := Counts{Unchanged: p.Unchanged, Unreachable: len(p.Unreachable)}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		switch {
		case !d.Proposed.Executes() || d.Action.Executes() || d.Difference == comparator.Unreachable:
		case d.Excluded():
			c.Excluded++
		default:
			c.Blocked++
		}
	}
	return c
}

// Add counts one action.
func (c *Counts) Add(a decider.Action) {
	switch a {
	case decider.Create:
		c.Create++
	case decider.Update:
		c.Update++
	case decider.Replace:
		c.Replace++
	case decider.Restart:
		c.Restart++
	case decider.Delete:
		c.Delete++
	case decider.Notify:
		c.Notify++
	}
}
