package render

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
)

// Counts is a tally as it is shown: every field stands in a JSON line, also where it is 0.
type Counts struct {
	Create      int `json:"create"`
	Update      int `json:"update"`
	Replace     int `json:"replace"`
	Restart     int `json:"restart"`
	Delete      int `json:"delete"`
	Notify      int `json:"notify"`
	Unchanged   int `json:"unchanged"`
	Blocked     int `json:"vetoed"`
	Unreachable int `json:"blind"`
	Failed      int `json:"failed"`
	NotStarted  int `json:"skipped"`
	Claimed     int `json:"held"`
	Excluded    int `json:"left_out"`
}

// Count counts a plan. That the fields are those of ledger.Counts is held by the compiler.
func Count(p decider.Plan) Counts { return Counts(event.Count(p)) }

// Sentence says the counts of a plan, such as "Plan: 4 to create, 1 to delete; 2 unchanged".
func (c Counts) Sentence(verb string) string {
	var do []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Create, "create"}, {c.Update, "update"}, {c.Replace, "replace"}, {c.Restart, "restart"}, {c.Delete, "delete"}} {
		if x.n > 0 {
			do = append(do, fmt.Sprintf("%d to %s", x.n, x.what))
		}
	}
	text := strings.Join(do, ", ")
	if text == "" {
		text = "nothing to do"
		if c.Unreachable > 0 {
			text = "nothing to do where it was seen"
		}
	}
	return verb + ": " + text + c.rest() + "."
}

// Done says the counts of an apply, such as "Apply: 4 created; 1 FAILED".
func (c Counts) Done(verb string) string {
	var did []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Create, "created"}, {c.Update, "updated"}, {c.Replace, "replaced"}, {c.Restart, "restarted"}, {c.Delete, "deleted"}} {
		if x.n > 0 {
			did = append(did, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	text := strings.Join(did, ", ")
	if text == "" {
		text = "nothing done"
	}
	return verb + ": " + text + c.rest() + "."
}

func (c Counts) rest() string {
	var b strings.Builder
	for _, x := range []struct {
		n    int
		what string
	}{
		{c.Failed, "FAILED"},
		{c.Claimed, "held by others"},
		{c.NotStarted, "not begun"},
		{c.Blocked, "held back"},
		{c.Excluded, "left out"},
		{c.Unchanged, "unchanged"},
	} {
		if x.n > 0 {
			fmt.Fprintf(&b, "; %d %s", x.n, x.what)
		}
	}
	if c.Unreachable > 0 {
		b.WriteString("; " + Many(c.Unreachable, "place") + " NOT SEEN")
	}
	return b.String()
}
