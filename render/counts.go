package render

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
)

// Counts is how many things of each fate there are in a plan or in an apply.
type Counts struct {
	Create    int `json:"create"`
	Update    int `json:"update"`
	Replace   int `json:"replace"`
	Restart   int `json:"restart"`
	Delete    int `json:"delete"`
	Notify    int `json:"notify"`
	Unchanged int `json:"unchanged"`
	Vetoed    int `json:"vetoed"`
	Blind     int `json:"blind"`  // scopes not seen
	Failed    int `json:"failed"` // actions that failed
	// Skipped were not begun: what they need failed, or the run was interrupted.
	Skipped int `json:"skipped"`
	// Held are things somebody else held the claim of.
	Held int `json:"held"`
	// LeftOut differ, but --target, --exclude or the saved plan left them out.
	LeftOut int `json:"left_out"`
}

// Count counts a plan.
func Count(p decider.Plan) Counts {
	c := Counts{Unchanged: p.Unchanged, Blind: len(p.Blind)}
	for _, d := range p.Decisions {
		c.Add(d.Action)
		switch {
		case !d.Proposed.Executes() || d.Action.Executes() || d.Difference == comparator.Unknown:
		case d.LeftOut():
			c.LeftOut++
		default:
			c.Vetoed++
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
		if c.Blind > 0 {
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
		{c.Held, "held by others"},
		{c.Skipped, "not begun"},
		{c.Vetoed, "held back"},
		{c.LeftOut, "left out"},
		{c.Unchanged, "unchanged"},
	} {
		if x.n > 0 {
			fmt.Fprintf(&b, "; %d %s", x.n, x.what)
		}
	}
	if c.Blind > 0 {
		b.WriteString("; " + places(c.Blind) + " NOT SEEN")
	}
	return b.String()
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}
