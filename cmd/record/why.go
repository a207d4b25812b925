package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// near is how many observations and plans are read from the audit log without --all.
const near = 200

// WhyCommand returns the command `ovi why`.
func WhyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "why", Category: command.GroupInspect, ArgsUsage: "REF",
		Usage: "Explain a resource's state",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(),
			&urfave.BoolFlag{Name: "all", Usage: "show every recorded event"},
		},
		Action: p.Action(why),
	}
}

// whyOptions are the options of `ovi why`.
type whyOptions struct{ all bool }

func whyOptionsOf(c *command.Call) whyOptions { return whyOptions{all: c.Cmd.Bool("all")} }

func why(c *command.Call) error {
	o := whyOptionsOf(c)
	if err := session.OneRef(c); err != nil {
		return err
	}
	if dir := session.DataDir(c, session.Named(c, nil)); command.ErrorsAlone(dir) {
		return whyOnNode(c, dir)
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return tell(c, l, o) })
}

// whyOnNode shows the last error of a deployment that its node keeps, on the terminal alone. The orchestrator of the
// node records it.
func whyOnNode(c *command.Call, dir string) error {
	if err := command.IsSafe(c, dir); err != nil {
		return err
	}
	if !c.ShowsErrors() {
		return &cli.Problem{
			Summary: "this is the folder of a node, which keeps errors and no history", File: dir,
			Suggestion: "run `ovi why` on the host of the orchestrator, or add --show-errors",
		}
	}
	kept, is, err := command.FindKeptError(dir, c.Arg(0))
	if err != nil {
		return fmt.Errorf("read the last error of %s: %w", c.Arg(0), err)
	}
	if !is {
		return &cli.Problem{
			Summary: "this node keeps no text of an error of " + c.Arg(0), File: dir,
			Suggestion: "name a deployment that failed here; `ovi edge status` on the host of the orchestrator lists them",
		}
	}
	if err := c.NoteShown(dir, kept); err != nil {
		return err
	}
	c.ShowError(kept.Ref.Short()+": the whole error of "+phrase.Minute(kept.At), kept.Text)
	return nil
}

func tell(c *command.Call, l *ledger.Ledger, o whyOptions) error {
	ref, err := session.Ref(c, l, c.Arg(0))
	if err != nil {
		return err
	}
	depth := near
	if o.all || c.Out.Machine() {
		depth = -1
	}
	chronicle, err := history.New(l.Reader()).ResourceHistory(c, ref, depth)
	if err != nil {
		return err
	}
	holders, err := session.HoldersOf(c, l)
	if err != nil {
		return err
	}
	t := teller(c, ref)
	t.Running = holders.Of
	s := t.Explain(chronicle)
	unread, is, err := l.Reader().Sources().UnreadOf(c, ref)
	if err != nil {
		return err
	}
	if is {
		s.Facts = append(s.Facts, explain.Fact{Label: "source", Text: phrase.Unread(unread, c.Now())})
	}
	if err := addOutages(c, l, ref, &s); err != nil {
		return err
	}
	if err := showKept(c, l, ref); err != nil {
		return err
	}
	if c.Out.Machine() {
		return c.Out.Records(storyRecord(s, ref))
	}
	return storyPage(s, o.all).Write(c.Out.W, c.Out.Style)
}

// showKept shows the last error of a resource that this host keeps, on the terminal alone. It is recorded first.
func showKept(c *command.Call, l *ledger.Ledger, ref resource.Ref) error {
	if !c.ShowsErrors() {
		return nil
	}
	dir, err := session.RecordDir(c)
	if err != nil {
		return err
	}
	kept, is, err := command.ReadKeptError(dir, ref)
	if err != nil {
		return fmt.Errorf("read the last error of %s: %w", ref.Short(), err)
	}
	if !is {
		c.Out.Say("This host keeps no text of an error of %s", ref.Short())
		return nil
	}
	if _, err := l.Record(c, event.ErrorShown{Ref: ref, Of: kept.At, Who: c.User()}); err != nil {
		return err
	}
	c.ShowError(ref.Short()+": the whole error of "+phrase.Minute(kept.At), kept.Text)
	return nil
}

// addOutages adds what is down because of the resource: things that it needs and that nothing has, and things that it
// gave up for a resource which is not up.
func addOutages(c *command.Call, l *ledger.Ledger, ref resource.Ref, s *explain.Explanation) error {
	names, err := l.Reader().Names(c, storage.Now)
	if err != nil {
		return err
	}
	for _, needs := range slices.SortedFunc(maps.Keys(names.Outages), resource.Ref.Compare) {
		for _, o := range names.Outages[needs] {
			if needs != ref && o.Freed != ref {
				continue
			}
			text, next := phrase.Outage(o, needs, c.Now())
			s.Facts = append(s.Facts, explain.Fact{Label: "down", Text: strings.TrimPrefix(text, "outage: ")})
			s.Suggestion = next
		}
	}
	return nil
}

// teller tells of things as seen from one of them.
func teller(c *command.Call, ref resource.Ref) explain.Explainer {
	return explain.Explainer{
		Now: c.Now(), Value: render.Value, Ref: command.NamesOfRefs(ref).Ref,
		Kinds: command.Schemas(c.Process).Kind,
	}
}

func storyRecord(s explain.Explanation, ref resource.Ref) render.Explanation {
	out := render.Explanation{
		Type: "explanation", Ref: s.Ref, Scope: ref.Scope().String(), State: string(s.State), Headline: s.Headline,
		Cause:   s.Cause,
		Changes: render.Changes(s.Changes), Suggestion: s.Suggestion, Facts: factsOf(s.Facts),
		Events: make([]render.EventGroup, len(s.Events)),
	}
	for i, x := range s.Events {
		out.Events[i] = render.EventGroup{
			At: x.At, What: x.What, Title: x.Title, Facts: factsOf(x.Facts),
			Records: append([]uint64{}, x.Records...), Instance: x.Instance,
		}
	}
	return out
}

// storyPage is the answer for people: the state and its cause, with all every event too.
func storyPage(s explain.Explanation, all bool) render.Page {
	page := render.Page{
		Lead: s.Headline, Cause: s.Cause, Changes: s.Changes, Suggestion: s.Suggestion,
		Facts: factsOf(s.Facts),
	}
	for _, x := range s.Events {
		if !all {
			break
		}
		facts := factsOf(x.Facts)
		if len(facts) > 0 && len(x.Records) > 0 {
			of := ""
			if x.Instance != "" {
				of = " of that audit log"
			}
			facts = append(facts, render.Fact{Label: "records", Text: numbers(x.Records) + of})
		}
		page.Sections = append(page.Sections, render.Section{
			Head: x.At.UTC().Format("2006-01-02 15:04:05"), Title: x.Title, Facts: facts,
		})
	}
	return page
}

func factsOf(in []explain.Fact) []render.Fact {
	out := make([]render.Fact, len(in))
	for i, f := range in {
		out[i] = render.Fact(f)
	}
	return out
}

// numbers lists records, those that follow each other as from-to.
func numbers(seqs []uint64) string {
	var parts []string
	for i := 0; i < len(seqs); {
		j := i
		for j+1 < len(seqs) && seqs[j+1] == seqs[j]+1 {
			j++
		}
		text := fmt.Sprint(seqs[i])
		if j > i {
			text += fmt.Sprintf("-%d", seqs[j])
		}
		parts = append(parts, text)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
