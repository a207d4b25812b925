package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/explain"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func (p *process) diffCommand() *urfave.Command {
	return &urfave.Command{
		Name: "diff", Category: groupInspect, ArgsUsage: "FROM [TO] [REF]",
		Usage: "Compare two revisions",
		Description: "FROM and TO are revisions (42), times (2006-01-02T15:04:05Z) or durations ago (90m, 24h). TO is\n" +
			"now by default. With REF, only that resource is compared.",
		Flags: []urfave.Flag{
			sourceFlag(),
			&urfave.StringFlag{Name: "kind", Usage: "only resources of `KIND`"},
			&urfave.StringFlag{Name: "stack", Usage: "only resources of stack `NAME`"},
		},
		Action: p.action((*call).diff),
	}
}

func (c *call) diff() error {
	if c.arg(0) == "" {
		return cli.Usage("write ovi diff 24h, or ovi diff 12 40", "`ovi diff` needs a revision or a time")
	}
	if err := c.atMost(3); err != nil {
		return err
	}
	return c.withMemory(nil, c.showDiff)
}

// span is the two ends of a diff.
type span struct {
	from, to     storage.Revision
	fromAt, toAt time.Time
}

func (c *call) spanOf(l *ledger.Ledger) (s span, ref string, err error) {
	if s.from, err = c.revisionOf(l, c.arg(0)); err != nil {
		return s, "", err
	}
	ref = c.arg(2)
	if s.to, err = c.revisionOf(l, c.arg(1)); err != nil {
		if _, wrong := strconv.ParseInt(c.arg(1), 10, 64); ref != "" || wrong == nil {
			return s, "", err
		}
		s.to, ref = storage.Now, c.arg(1) // no revision: a thing
	}
	if s.to == storage.Now {
		if s.to, err = l.Revision(c); err != nil {
			return s, "", err
		}
	}
	s.fromAt, err = history.New(l.Reader()).TimeOf(c, s.from)
	if errors.Is(err, ledger.ErrNotFound) {
		err = nil // older than what is kept: the diff itself says so
	}
	if err != nil {
		return s, "", err
	}
	s.toAt, err = history.New(l.Reader()).TimeOf(c, s.to)
	return s, ref, err
}

func (c *call) showDiff(l *ledger.Ledger) error {
	s, spelling, err := c.spanOf(l)
	if err != nil {
		return err
	}
	var only resource.Ref
	if spelling != "" {
		if only, err = c.ref(l, spelling); err != nil {
			return err
		}
	}
	shifts, err := history.New(l.Reader()).Between(c, s.from, s.to)
	switch {
	case errors.Is(err, storage.ErrCompacted):
		return &cli.Problem{Summary: fmt.Sprintf("the store has forgotten revision %d", s.from), Err: err, Suggestion: "name a later one; the log still has what was recorded: ovi audit log"}
	case errors.Is(err, storage.ErrFuture):
		return cli.Usage("see `ovi history REF` for revisions", "revision %d has not happened yet", max(s.from, s.to))
	case err != nil:
		return err
	}
	shifts = slices.DeleteFunc(shifts, func(x history.ResourceChange) bool { return !only.IsZero() && x.Ref != only || !c.about(x) })
	return c.writeDiff(s, shifts)
}

// about says that a thing is one that was asked for.
func (c *call) about(x history.ResourceChange) bool {
	kind, stack := c.cmd.String("kind"), c.cmd.String("stack")
	return (kind == "" || x.Ref.Kind == kind) && (stack == "" || stackOf(x) == stack)
}

func stackOf(x history.ResourceChange) string {
	for _, o := range []*resource.Observed{x.After, x.Before} {
		if o != nil && o.Stack != "" {
			return o.Stack
		}
	}
	return ""
}

func (c *call) writeDiff(s span, shifts []history.ResourceChange) error {
	refs := make([]resource.Ref, len(shifts))
	for i, x := range shifts {
		refs[i] = x.Ref
	}
	names := namesOfRefs(refs...)
	sum := render.DifferenceSummary{Type: "difference_summary", From: int64(s.from), FromAt: s.fromAt, To: int64(s.to), ToAt: s.toAt}
	t := render.Table{Head: []string{"", "THING", "DIFFERENT", "BY", "WHEN"}, Flexible: 2}
	var out []render.Record
	for _, x := range shifts {
		d := differenceOf(x, names)
		out = append(out, d)
		mark := map[string]string{"appeared": "+", "gone": "-", "changed": "~"}[d.What]
		when := d.At.UTC().Format("2006-01-02 15:04:05")
		for i, text := range diffLines(x, d.What) {
			if i > 0 {
				mark, when = "", ""
				t.Rows = append(t.Rows, []string{"", "", text, "", ""})
				continue
			}
			t.Rows = append(t.Rows, []string{mark, d.Ref, text, map[string]string{"ovi": "ovi", "world": "the world"}[d.By], when})
		}
		switch d.What {
		case "appeared":
			sum.Appeared++
		case "gone":
			sum.Gone++
		default:
			sum.Changed++
		}
	}
	if c.out.Machine() {
		return c.out.Records(append(out, sum)...)
	}
	c.out.Say("From revision %d (%s) to %d (%s)", s.from, stampOf(s.fromAt), s.to, stampOf(s.toAt))
	if err := c.out.Table(t, "Nothing is different."); err != nil || len(shifts) == 0 {
		return err
	}
	c.out.Say("\nDiff: %d appeared, %d gone, %d changed. Why: ovi why REF", sum.Appeared, sum.Gone, sum.Changed)
	return nil
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return "at an unknown time"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func differenceOf(x history.ResourceChange, names render.Names) render.Difference {
	d := render.Difference{
		Type: "difference", Ref: names.Ref(x.Ref), Scope: x.Ref.Scope().String(), Kind: x.Ref.Kind, Stack: stackOf(x),
		At: x.At, What: "changed", By: "world", Revision: int64(x.Last), Changes: []render.Change{},
	}
	if x.Action {
		d.By = "ovi"
	}
	switch {
	case x.Before == nil:
		d.What = "appeared"
	case x.After == nil:
		d.What = "gone"
	default:
		d.Changes = render.Changes(explain.Differ(*x.Before, *x.After))
	}
	return d
}

// diffLines say what is different, a line each.
func diffLines(x history.ResourceChange, what string) []string {
	switch what {
	case "appeared":
		return []string{"appeared: " + x.After.ID}
	case "gone":
		return []string{"gone: " + x.Before.ID}
	}
	var out []string
	for _, ch := range explain.Differ(*x.Before, *x.After) {
		out = append(out, ch.Path+" "+render.Value(ch.From)+" → "+render.Value(ch.To))
	}
	if len(out) == 0 {
		out = []string{"in small things"}
	}
	return out
}
