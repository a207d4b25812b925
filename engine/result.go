package engine

import (
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
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
	Waiting     Status = "waiting"     // not begun: what it needs failed or was not begun
	Interrupted Status = "interrupted" // not begun: the apply was stopped
	Held        Status = "held"        // not begun: somebody else has the claim
	Stale       Status = "stale"       // not begun: the thing changed since the plan
)

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
	Holder      string       // of Held: who has it
	Detail      string       // a sentence, for people
	Seconds     float64
}

// Result is what an apply did.
type Result struct {
	Plan        string
	Outcomes    []Outcome          // sorted by ref; one for each decision that executes
	Vetoed      []decider.Decision // what policies held back
	Counts      ledger.Counts      // of what was done
	Interrupted bool
	Took        time.Duration
}
