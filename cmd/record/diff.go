package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// DiffCommand returns the command `ovi diff`.
func DiffCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "diff", Category: command.GroupInspect, ArgsUsage: "FROM [TO] [REF]",
		Usage: "Compare two revisions",
		Description: "FROM and TO are revisions (42), times (2006-01-02T15:04:05Z) or durations ago (90m, 24h). TO is\n" +
			"now by default. With REF, only that resource is compared.",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(),
			&urfave.StringFlag{Name: "kind", Usage: "only resources of `KIND`"},
			session.StackNameFlag("only resources of stack `NAME`"),
		},
		Action: p.Action(diff),
	}
}

// diffOptions are the options of `ovi diff`.
type diffOptions struct{ kind, stack string }

func diffOptionsOf(c *command.Call) diffOptions {
	return diffOptions{kind: c.Cmd.String("kind"), stack: session.StackNameOf(c)}
}

func diff(c *command.Call) error {
	o := diffOptionsOf(c)
	if c.Arg(0) == "" {
		return cli.Usage("use ovi diff 24h, or ovi diff 12 40", "`ovi diff` needs a revision or a time")
	}
	if err := c.AtMost(3); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return showDiff(c, l, o) })
}

// span is the two ends of a diff.
type span struct {
	from, to     storage.Revision
	fromAt, toAt time.Time
}

func spanOf(c *command.Call, l *ledger.Ledger) (s span, ref string, err error) {
	if s.from, err = session.RevisionOf(c, l, c.Arg(0)); err != nil {
		return s, "", err
	}
	ref = c.Arg(2)
	if s.to, err = session.RevisionOf(c, l, c.Arg(1)); err != nil {
		if _, wrong := strconv.ParseInt(c.Arg(1), 10, 64); ref != "" || wrong == nil {
			return s, "", err
		}
		s.to, ref = storage.Now, c.Arg(1) // no revision: a resource
	}
	if s.to == storage.Now {
		if s.to, err = l.Revision(c); err != nil {
			return s, "", err
		}
	}
	s.fromAt, err = history.New(l.Reader()).TimeOf(c, s.from)
	if errors.Is(err, ledger.ErrNotFound) {
		err = nil // older than what is kept: the diff reports that
	}
	if err != nil {
		return s, "", err
	}
	s.toAt, err = history.New(l.Reader()).TimeOf(c, s.to)
	return s, ref, err
}

func showDiff(c *command.Call, l *ledger.Ledger, o diffOptions) error {
	s, spelling, err := spanOf(c, l)
	if err != nil {
		return err
	}
	var only resource.Ref
	if spelling != "" {
		if only, err = session.Ref(c, l, spelling); err != nil {
			return err
		}
	}
	changes, err := history.New(l.Reader()).Between(c, s.from, s.to)
	switch {
	case errors.Is(err, storage.ErrCompacted):
		return &cli.Problem{
			Summary: fmt.Sprintf("revision %d was compacted", s.from), Err: err,
			Suggestion: "use a later one; `ovi audit log` has what was recorded",
		}
	case errors.Is(err, storage.ErrFuture):
		return cli.Usage("see `ovi history REF` for revisions", "revision %d does not exist", max(s.from, s.to))
	case err != nil:
		return err
	}
	stack, err := session.ChosenStack(c)
	if err != nil {
		return err
	}
	o.stack = cmp.Or(stack, o.stack)
	changes = slices.DeleteFunc(changes, func(x history.ResourceChange) bool {
		return !only.IsZero() && x.Ref != only ||
			!o.about(x)
	})
	return writeDiff(c, l, s, changes)
}

// about reports whether a resource was asked for.
func (o diffOptions) about(x history.ResourceChange) bool {
	return (o.kind == "" || x.Ref.Kind == o.kind) && (o.stack == "" || stackOf(x) == o.stack)
}

func stackOf(x history.ResourceChange) string {
	for _, o := range []*resource.Observed{x.After, x.Before} {
		if o != nil && o.Managed() {
			return o.Ref.Stack
		}
	}
	return ""
}

func writeDiff(c *command.Call, l *ledger.Ledger, s span, changes []history.ResourceChange) error {
	refs := make([]resource.Ref, len(changes))
	for i, x := range changes {
		refs[i] = x.Ref
	}
	names := command.NamesOfRefs(refs...)
	sum := render.DifferenceSummary{
		Type: "difference_summary", From: int64(s.from), FromAt: s.fromAt, To: int64(s.to),
		ToAt: s.toAt,
	}
	view := planview.Diff{
		Kinds: command.Schemas(c.Process).Kind,
		Head:  fmt.Sprintf("Revision %d (%s) -> %d (%s)", s.from, session.MinuteOf(s.fromAt), s.to, session.MinuteOf(s.toAt)),
	}
	var out []render.Record
	for _, x := range changes {
		d := differenceOf(x, names)
		out = append(out, d)
		e := planview.Entry{Sign: "~", Name: x.Ref.Short(), Ref: x.Ref}
		switch d.What {
		case "created":
			sum.Appeared++
			e.Sign, e.ID = "+", x.After.ID
		case "deleted":
			sum.Gone++
			e.Sign, e.ID = "-", x.Before.ID
		default:
			sum.Changed++
			e.Changes = explain.Differ(*x.Before, *x.After)
		}
		if !c.Out.Machine() {
			by, err := changedBy(c, l, s, x)
			if err != nil {
				return err
			}
			e.Text = by
		}
		view.Entries = append(view.Entries, e)
	}
	if c.Out.Machine() {
		return c.Out.Records(append(out, sum)...)
	}
	view.Foot = diffSentence(sum)
	if c.Out.Quiet {
		view.Head = ""
	}
	return view.Write(c.Out.W, c.Out.Style)
}

// changedBy is who changed a resource between two revisions: "by ada", or "outside ovi".
func changedBy(c *command.Call, l *ledger.Ledger, s span, x history.ResourceChange) (string, error) {
	if !x.Action {
		return "outside ovi", nil
	}
	moments, err := history.New(l.Reader()).History(c, x.Ref)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return "", err
	}
	who := "ovi"
	for _, m := range moments {
		for _, r := range m.Records {
			if _, done := r.Event.(event.Finished); done && r.User != "" && m.Revision > s.from && m.Revision <= s.to {
				who = r.User
			}
		}
	}
	return "by " + who, nil
}

// diffSentence is the last line of a diff; zeros are omitted.
func diffSentence(sum render.DifferenceSummary) string {
	var parts []string
	for _, x := range []struct {
		n    int
		word string
	}{{sum.Appeared, "created"}, {sum.Changed, "changed"}, {sum.Gone, "deleted"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.word))
		}
	}
	if len(parts) == 0 {
		return "No differences."
	}
	return "Diff: " + strings.Join(parts, ", ") + "."
}

func differenceOf(x history.ResourceChange, names render.Names) render.Difference {
	d := render.Difference{
		Type: "difference", Ref: names.Ref(x.Ref), Scope: x.Ref.Scope().String(), Kind: x.Ref.Kind, Stack: stackOf(x),
		At: x.At, What: "changed", By: "outside", Revision: int64(x.Last), Changes: []render.Change{},
	}
	if x.Action {
		d.By = "ovi"
	}
	switch {
	case x.Before == nil:
		d.What = "created"
	case x.After == nil:
		d.What = "deleted"
	default:
		d.Changes = render.Changes(explain.Differ(*x.Before, *x.After))
	}
	return d
}
