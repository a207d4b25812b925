package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
)

func doingWord(a decider.Action) string {
	switch a {
	case decider.Create:
		return "creating"
	case decider.Update:
		return "updating"
	case decider.Replace:
		return "replacing"
	case decider.Restart:
		return "updating, with a restart"
	case decider.Delete:
		return "deleting"
	default:
		return string(a)
	}
}

func doneWord(a decider.Action) string {
	switch a {
	case decider.Create:
		return "created"
	case decider.Update:
		return "updated"
	case decider.Replace:
		return "replaced by"
	case decider.Restart:
		return "updated, with a restart"
	case decider.Delete:
		return "deleted"
	default:
		return string(a)
	}
}

// notBegunWords says why an action was not begun; the detail only where it says more.
func notBegunWords(n NotStarted) string {
	switch n.Why {
	case "interrupted":
		return "the apply was stopped before"
	case "waiting":
		_, state, _ := strings.Cut(n.Detail, ", which ")
		if state == "" {
			state = "was not done"
		}
		return "it waits for " + shortName(n.On) + ", which " + stateWords(state)
	case "broken":
		return withDetail("the record could not be written", n.Detail)
	case "held":
		return withDetail("somebody else holds its claim", n.Detail)
	case "stale":
		return withDetail("it changed since the plan was made", n.Detail)
	}
	return withDetail(n.Why, n.Detail)
}

// stateWords says how what is waited for ended.
func stateWords(state string) string {
	switch state {
	case "is failed":
		return "failed"
	case "is held":
		return "somebody else holds"
	case "is stale":
		return "changed since the plan was made"
	case "is uncertain":
		return "may have failed: looking tells"
	case "is waiting", "is interrupted":
		return "was not begun either"
	}
	return state
}

// crowdWords says why many actions were not begun.
func crowdWords(why string) string {
	switch why {
	case "waiting":
		return "they wait for what was not done"
	case "held":
		return "somebody else holds their claims"
	case "stale":
		return "they changed since the plan was made"
	}
	return notBegunWords(NotStarted{Why: why})
}

func number(n int) string { return fmt.Sprint(n) }

func withDetail(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + ": " + detail
}

// shortName is kind/name of a ref.
func shortName(ref string) string {
	last := strings.LastIndexByte(ref, '/')
	if last < 0 {
		return ref
	}
	return ref[strings.LastIndexByte(ref[:last], '/')+1:]
}

// Many is a number with its noun: "1 batch", "2 batches", "3 logs".
func Many[N ~int | ~int64 | ~uint64](n N, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ch"):
		one += "e"
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func seconds(s float64) string {
	if s >= 60 {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.1fs", s)
}

// Age says how long ago something was, in one unit.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
