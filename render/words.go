package render

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render/term"
)

// doing is how a running or finished action is shown.
type doing struct{ sign, now, done string }

// doingOf is an action, or the step of a replacement.
func doingOf(a decider.Action, phase string) doing {
	switch phase {
	case event.PhaseDelete, "delete_old", "delete_new":
		return doing{"-", "deleting", "deleted"}
	case event.PhaseCreate:
		return doing{"+", "creating", "created"}
	case "set_aside":
		return doing{"~", "setting aside", "set aside"}
	case "switch":
		return doing{"~", "switching to", "switched to"}
	case "restore":
		return doing{"~", "restoring", "restored"}
	case "wait":
		return doing{"~", "waiting", "waited"}
	case "":
	default:
		step := strings.ReplaceAll(phase, "_", " ")
		return doing{"~", step + " running", step + " finished"}
	}
	switch a {
	case decider.Create:
		return doing{"+", "creating", "created"}
	case decider.Update, decider.Restart:
		return doing{"~", "updating", "updated"}
	case decider.Replace:
		return doing{term.ReplaceSign, "replacing", "replaced"}
	case decider.Revert:
		return doing{"~", "reverting", "reverted"}
	case decider.Delete:
		return doing{"-", "deleting", "deleted"}
	case decider.Forget:
		return doing{"-", "forgetting", "forgotten"}
	case decider.Notify:
	}
	return doing{term.ConflictSign, string(a), string(a)}
}

// notStartedWords says why an action was not started; the message only where it says more.
func notStartedWords(n NotStarted) string {
	switch n.Why {
	case "interrupted":
		return "the apply was interrupted"
	case "waiting":
		_, state, _ := strings.Cut(n.Message, ", which ")
		if state == "" {
			state = "was not applied"
		}
		return "depends on " + shortName(n.On) + ", which " + phrase.Ended(state)
	case "turn":
		_, state, after := strings.Cut(n.Message, ", which ")
		if !after {
			return n.Message
		}
		return "its turn is after " + shortName(n.On) + ", which " + phrase.Ended(state)
	case "unneeded":
		return "needed only by resources that were not started, such as " + shortName(n.On)
	case "broken":
		return withMessage("the audit log cannot be written", n.Message)
	case "claimed":
		return withMessage("claimed by another run", n.Message)
	case "refused", "check":
		return withMessage("the provider's check failed", strings.TrimPrefix(n.Message, "nothing was changed: "))
	case "unprepared":
		return cmp.Or(n.Message, "its call lacks something")
	case "stale":
		return withMessage("changed since the plan was made", n.Message)
	}
	return withMessage(n.Why, n.Message)
}

// groupWords says why many actions were not started.
func groupWords(why string) string {
	switch why {
	case "waiting":
		return "their dependencies were not applied"
	case "turn":
		return "their turn did not come"
	case "unneeded":
		return "needed only by resources that were not started"
	case "claimed":
		return "claimed by other runs"
	}
	return notStartedWords(NotStarted{Why: why})
}

func withMessage(text, message string) string {
	if message == "" {
		return text
	}
	return text + ": " + message
}

// shortName is kind/name of a ref.
func shortName(ref string) string {
	last := strings.LastIndexByte(ref, '/')
	if last < 0 {
		return ref
	}
	return ref[strings.LastIndexByte(ref[:last], '/')+1:]
}

// seconds is a duration: "0.4s", "31s", "2m5s". It is never negative, whatever was recorded while a clock was set.
func seconds(s float64) string {
	s = max(s, 0)
	if s >= 10 {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.1fs", s)
}
