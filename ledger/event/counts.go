package event

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
)

// Counts are the sizes of a plan, or of its result: the one tally that the audit log, the
// screen and the JSON lines show. Each resource counts once (a replacement whose old resource
// was deleted and whose new one was not created is the exception: it is deleted and failed).
// Notify counts decisions that act on nothing, whatever the other fields count them as.
type Counts struct {
	Create      int `json:"create"`
	Update      int `json:"update"`
	Rename      int `json:"rename"` // only the name in the configuration changes
	Replace     int `json:"replace"`
	Revert      int `json:"revert"` // replacements that go back
	Restart     int `json:"restart"`
	Delete      int `json:"delete"`
	Forget      int `json:"forget"` // no longer managed, without a change of the resource
	Notify      int `json:"notify"`
	Failed      int `json:"failed"`       // actions that failed, and resources that changed since the plan
	Unknown     int `json:"unknown"`      // actions whose result is unknown: the next plan observes it
	NotStarted  int `json:"not_started"`  // a dependency failed, or the run was interrupted
	Claimed     int `json:"claimed"`      // another run has the claim
	InFlight    int `json:"in_flight"`    // an action on it has started and not ended
	Waiting     int `json:"waiting"`      // for the end of an action in flight, or for its turn in a running apply
	Blocked     int `json:"blocked"`      // by a policy
	Broken      int `json:"broken"`       // a part is missing, and no operator named it to replace it
	Kept        int `json:"kept"`         // no longer configured, and kept for its data or for another stack
	Conflict    int `json:"conflict"`     // configured, but unmanaged or owned by another stack
	Unreachable int `json:"unreachable"`  // not evaluated: the location could not be read
	NotVerified int `json:"not_verified"` // can neither be read back nor was recorded
	Excluded    int `json:"excluded"`     // by --target, --exclude or the saved plan
	Unchanged   int `json:"unchanged"`
}

// Count counts a plan.
func Count(p decider.Plan) Counts {
	c := Standing(p)
	for i := range p.Decisions {
		c.AddDecision(&p.Decisions[i])
	}
	return c
}

// Standing counts what an apply of a plan does not act on.
func Standing(p decider.Plan) Counts {
	c := Counts{Unchanged: p.Unchanged, NotVerified: len(p.NotVerified)}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		switch {
		case d.Difference == comparator.Unreachable:
			c.Unreachable++
		case d.Difference == comparator.Conflict:
			c.Conflict++
		case d.Reason == decider.ReasonKept:
			c.Kept++
		case d.Reason == decider.ReasonBroken:
			c.Broken++
		case !d.Proposed.Executes() || d.Action.Executes():
		case d.Excluded():
			c.Excluded++
		default:
			switch waits, own := d.WaitsForFlight(); {
			case own:
				c.InFlight++
			case waits:
				c.Waiting++
			default:
				c.Blocked++
			}
		}
	}
	return c
}

// AddDecision counts the action of a decision.
func (c *Counts) AddDecision(d *decider.Decision) {
	if d.Action.Executes() && d.OnlyRenames() {
		c.Rename++
		return
	}
	c.Add(d.Action)
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
	case decider.Revert:
		c.Revert++
	case decider.Restart:
		c.Restart++
	case decider.Delete:
		c.Delete++
	case decider.Forget:
		c.Forget++
	case decider.Notify:
		c.Notify++
	}
}
