package planview

import (
	"fmt"
	"io"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render/term"
)

// Counts is a tally for screens and records. A JSON line has every field, even if it is 0.
type Counts event.Counts

// Count counts a plan.
func Count(p decider.Plan) Counts { return Counts(event.Count(p)) }

// Sentence is the last line of a plan, such as "Plan: 4 to create, 1 to delete, 2 unchanged.";
// where there is nothing to do, "No changes. 9 unchanged.".
func (c Counts) Sentence(verb string) string { return c.sentenceWith(verb, 0) }

// sentenceWith is Sentence with a number of outputs that change.
func (c Counts) sentenceWith(verb string, outputs int) string {
	do := []string{}
	for _, x := range c.actions() {
		if x.n > 0 {
			text := fmt.Sprintf("%d to %s", x.n, x.do)
			if x.restart != 0 {
				text += fmt.Sprintf(" (%d restart)", x.restart)
			}
			do = append(do, text)
		}
	}
	if outputs > 0 {
		do = append(do, term.Many(outputs, "output")+" to record")
	}
	if len(do) > 0 {
		return verb + ": " + strings.Join(append(do, c.rest()...), ", ") + "."
	}
	if rest := c.rest(); len(rest) > 0 {
		return "No changes. " + strings.Join(rest, ", ") + "."
	}
	return "No changes."
}

// Result is the last line of an apply, such as "Apply incomplete: 4 created, 1 failed.".
func (c Counts) Result() string {
	verb := "Apply complete"
	if c.Incomplete() {
		verb = "Apply incomplete"
	}
	return verb + ": " + c.Done() + "."
}

// Write writes the last line of an apply, wrapped between the counts.
func (c Counts) Write(w io.Writer, s term.Style) error {
	p := term.Writer{Style: s}
	p.Tally(c.Result())
	_, err := io.WriteString(w, p.String())
	return err
}

// Incomplete says that something configured was not applied.
func (c Counts) Incomplete() bool {
	return c.Failed+c.Unknown+c.NotStarted+c.Claimed+c.InFlight+c.Waiting+c.Blocked+c.Conflict+c.Unreachable > 0
}

// Done lists the results with their counts: "4 created, 1 failed".
func (c Counts) Done() string {
	did := []string{}
	for _, x := range c.actions() {
		if x.n > 0 {
			did = append(did, fmt.Sprintf("%d %s", x.n, x.done))
		}
	}
	if did = append(did, c.rest()...); len(did) == 0 {
		return "no changes"
	}
	return strings.Join(did, ", ")
}

// counted is a count with its words, for a plan and for a result.
type counted struct {
	n        int
	do, done string
	restart  int // how many of them restart the resource
}

// actions are the counts of actions in the order in which they are shown. A restart is an
// update that interrupts the resource, and a plan counts it apart.
func (c Counts) actions() []counted {
	return []counted{
		{c.Create, "create", "created", 0},
		{c.Update + c.Restart, "update", "updated", c.Restart},
		{c.Rename, "rename", "renamed", 0},
		{c.Replace, "replace", "replaced", 0},
		{c.Revert, "revert", "reverted", 0},
		{c.Delete, "delete", "deleted", 0},
		{c.Forget, "forget", "forgotten", 0},
	}
}

// rest are the other counts, without zeros, in the order in which they are shown.
func (c Counts) rest() []string {
	var out []string
	add := func(n int, what string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.Failed, "failed")
	add(c.Unknown, "unknown")
	add(c.NotStarted, "not started")
	add(c.Claimed, "claimed")
	add(c.InFlight, "in flight")
	add(c.Waiting, "waiting")
	add(c.Blocked, "blocked")
	if c.Conflict > 0 {
		out = append(out, term.Many(c.Conflict, "conflict"))
	}
	add(c.Broken, "broken")
	add(c.Kept, "kept")
	add(c.Unreachable, "not evaluated")
	add(c.NotVerified, "not verified")
	add(c.Excluded, "excluded")
	add(c.Unchanged, "unchanged")
	return out
}
