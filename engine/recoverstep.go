package engine

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// recoverStep finds the result of an open step of a swap; false if the action is none. Whatever it
// finds, the replacement goes on from what exists.
func recoverStep(o ledger.OpenAction, live resource.Snapshot) (r event.Recovered, known, is bool) {
	switch step := replace.Step(o.Step); step {
	case replace.SetAside, replace.Switch, replace.Restore:
		r = event.Recovered{Ref: o.Ref, Key: o.Key, Action: o.Action, Finding: event.FoundNotDone}
		have := byID(live, o.Ref.Kind, o.Have)
		switch {
		case have == nil && live.Covers(o.Ref.Kind) != nil:
			return r, false, true
		case have == nil:
			r.Evidence = o.Have + " does not exist any more"
		default:
			r.ID, r.UID = have.ID, have.UID
			if stepShows(step, o.Ref, have) {
				r.Finding = event.FoundDone
			}
			r.Evidence = fmt.Sprintf("%s is %s under the name %s", have.ID, have.Health, have.NaturalRef().Name)
		}
		r.Evidence += ", observed at " + live.At.UTC().Format(time.RFC3339)
		return r, true, true
	default:
		return r, false, false
	}
}

// stepShows reports whether a resource is as a step leaves it.
func stepShows(step replace.Step, ref resource.Ref, have *resource.Observed) bool {
	switch step {
	case replace.SetAside:
		return have.NaturalRef() != ref
	case replace.Switch:
		return have.Health != resource.Stopped
	default:
		return have.NaturalRef() == ref && have.Health != resource.Stopped
	}
}
