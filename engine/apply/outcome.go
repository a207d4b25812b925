package apply

import (
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// Status is the result of one action.
type Status string

// The statuses.
const (
	Done        Status = "done"
	ByOther     Status = "done_by_other" // another run did it since the plan
	Failed      Status = "failed"
	Uncertain   Status = "uncertain"   // the call may have succeeded; the next observation recovers it
	WaitingFor  Status = "waiting"     // not started: a dependency failed or was not started
	Unneeded    Status = "unneeded"    // not started: only resources that a check refused need it
	Interrupted Status = "interrupted" // not started: the apply was interrupted
	Claimed     Status = "claimed"     // not started: another instance has the claim
	Accepted    Status = "accepted"    // in progress at the provider; a later observation gives the result
	Refused     Status = "refused"     // not started: the provider's check failed
	Unprepared  Status = "unprepared"  // not started: its call lacks something
	Stale       Status = "stale"       // not started: the resource changed since the plan
	Yielded     Status = "yielded"     // not started: it is left to the plan of a newer configuration
)

// good reports whether the resource is now as planned.
func (s Status) good() bool { return s == Done || s == ByOther }

// called reports whether the provider was called.
func (s Status) called() bool { return s == Done || s == Failed || s == Uncertain || s == Accepted }

// Outcome is the result of one decision that executes.
type Outcome struct {
	Ref       resource.Ref
	Action    decider.Action
	Status    Status
	ID        string
	Err       error
	Cause     provider.Cause
	Passes    bool         // the same action may succeed later, without a change of the configuration
	On        resource.Ref // of WaitingFor: the dependency; of Unneeded: a dependent
	ClaimedBy string       // of Claimed: who has the claim; of ByOther: who did it
	Detail    string       // a sentence for the user
	Seconds   float64
	// Deleted and Created are the phases that were done of a replace that stopped between them.
	Deleted, Created bool
	unready          error // of Done: it is not in service, and others of its count wait for that
	Turn             bool  // of WaitingFor: it did not have its turn within its count
	Reverted         bool  // of a replace: it failed and went back
	renames          bool  // of an update: only the name changed
}

// Result is the result of an apply.
type Result struct {
	Plan        string
	Outcomes    []Outcome // sorted by ref; one for each decision that executes
	Counts      event.Counts
	Outages     []decider.Outage // things that a delete gave up for a resource which is not up
	Outputs     []outputs.Change // that the apply recorded
	Unknown     []outputs.Unknown
	Interrupted bool
	Yielded     bool // something was left to the plan of a newer configuration
	Took        time.Duration
}

// count adds an outcome to the counts. Stale counts as failed, because the plan was not done. The
// phase that was done of an incomplete replace counts too.
func (o Outcome) count(c *event.Counts) {
	switch o.Status {
	// An accepted action counts as done here: the system carries it out.
	case Done, Accepted:
		if o.renames {
			c.Rename++
			break
		}
		c.Add(o.Action)
	case ByOther:
		c.Unchanged++
	case Failed, Stale, Refused, Unprepared:
		c.Failed++
	case Uncertain:
		c.Unknown++
	case Claimed:
		c.Claimed++
	case WaitingFor, Unneeded, Interrupted, Yielded:
		c.NotStarted++
	}
	if o.Deleted {
		c.Delete++
	}
	if o.Created {
		c.Create++
	}
}

// left is the outcome of a step that the apply left to a newer configuration.
func left(d *decider.Decision) Outcome {
	return Outcome{Ref: d.Ref, Action: d.Action, Status: Yielded, Detail: errYielded.Error()}
}
