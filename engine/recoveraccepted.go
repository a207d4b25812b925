package engine

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// finding completes a result with what an observation found, and of which resource.
func finding(a *event.Recovered, live resource.Snapshot) func(event.Finding, *resource.Observed, string, ...any) (event.Recovered, bool) {
	return func(f event.Finding, have *resource.Observed, format string, args ...any) (event.Recovered, bool) {
		a.Finding, a.Evidence = f, fmt.Sprintf(format, args...)+", observed at "+live.At.UTC().Format(time.RFC3339)
		if have != nil {
			a.ID, a.UID = have.ID, have.UID
		}
		return *a, true
	}
}

// recoverAccepted finds the result of an accepted action; false if it is still in progress, or the kind was not
// read in full.
func (e *Engine) recoverAccepted(o ledger.OpenAction, live resource.Snapshot, a *event.Recovered) (event.Recovered, bool) {
	found := finding(a, live)
	deletes := o.Action == decider.Delete || o.Phase == event.PhaseDelete
	have := byID(live, o.Ref.Kind, o.ID)
	switch {
	case have == nil && live.Covers(o.Ref.Kind) != nil:
		return *a, false
	case have == nil && deletes:
		a.ID = o.ID
		return found(event.FoundDone, nil, "%s does not exist any more", o.ID)
	case have == nil:
		return found(event.FoundFailed, nil, "%s does not exist any more", o.ID)
	case have.Health == resource.Failing:
		a.Class = string(have.Cause)
		return found(event.FoundFailed, e.withApplied(o, have, live), "%s is failing: %s", have.ID, have.Message)
	case have.Health == resource.Pending && live.At.Before(o.Deadline):
		return *a, false
	case have.Health == resource.Pending:
		return found(event.FoundFailed, e.withApplied(o, have, live), "%s is still pending at its deadline", have.ID)
	case deletes: // it was accepted, and lost
		return found(event.FoundNotDone, have, "%s still exists, and is not being deleted", have.ID)
	case have.Health == resource.Stopped && o.Applying != nil && o.Applying.State == resource.StateRunning:
		return found(event.FoundFailed, e.withApplied(o, have, live), "%s is stopped: %s", have.ID, have.Message)
	}
	return found(event.FoundDone, have, "%s is %s", have.ID, have.Health)
}
