package phrase

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
)

// Flight says what a running action does, for how long, and who runs it: "updating for 3m, by loop@host-2". Without by
// it names no person: the reader runs it.
func Flight(a decider.Action, running time.Duration, by string) string {
	text := fmt.Sprintf("%s for %s", Doing(a), Age(running))
	if by != "" {
		text += ", by " + by
	}
	return text
}

// Doing is an action while it runs: "creating". A restart is shown as an update.
func Doing(a decider.Action) string {
	switch a {
	case decider.Create:
		return "creating"
	case decider.Update, decider.Restart:
		return "updating"
	case decider.Replace:
		return "replacing"
	case decider.Revert:
		return "reverting"
	case decider.Delete:
		return "deleting"
	case decider.Forget:
		return "forgetting"
	case decider.Notify:
	}
	return string(a)
}

// Ended says how a dependency ended. state is the clause after "which" in the message of an action that waited for
// it. A state that needs no other form is returned unchanged.
func Ended(state string) string {
	switch state {
	case "is refused":
		return "was refused by a check"
	case "is failed":
		return "failed"
	case "is claimed":
		return "is claimed by another run"
	case "is stale":
		return "changed since the plan was made"
	case "is uncertain":
		return "has an unknown result"
	case "is waiting", "is interrupted":
		return "was not started"
	}
	return state
}
