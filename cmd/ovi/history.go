package main

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func (p *process) historyCommand() *urfave.Command {
	return &urfave.Command{
		Name: "history", Category: groupInspect, ArgsUsage: "REF",
		Usage:  "List a resource's events",
		Flags:  []urfave.Flag{sourceFlag()},
		Action: p.action((*call).history),
	}
}

// oneRef checks that the command has its one argument.
func (c *call) oneRef() error {
	if c.arg(0) == "" {
		return cli.Usage("use one that `ovi status` lists, such as ec2/web-0", "`ovi %s` needs a resource", c.cmd.Command.Name)
	}
	return c.atMost(1)
}

func (c *call) history() error {
	if err := c.oneRef(); err != nil {
		return err
	}
	return c.withMemory(nil, c.showHistory)
}

func (c *call) showHistory(l *ledger.Ledger) error {
	ref, err := c.ref(l, c.arg(0))
	if err != nil {
		return err
	}
	moments, err := history.New(l.Reader()).History(c, ref)
	if err != nil {
		return err
	}
	if c.out.Machine() {
		return c.momentRecords(ref, moments)
	}
	t := render.Table{Head: []string{"REVISION", "TIME (UTC)", "EVENT"}, Flexible: 2}
	var before *resource.Observed
	for _, m := range moments {
		for _, line := range momentLines(m, before) {
			t.Rows = append(t.Rows, []string{fmt.Sprint(m.Revision), m.At.UTC().Format("2006-01-02 15:04:05"), line.text})
		}
		before = after(m, before)
	}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	c.out.Say("%s", namesIn(scans).Ref(ref))
	return c.out.Table(t, "No events.")
}

// moment is a line of a history: its type, its text for users, its data for programs.
type moment struct {
	what, text string
	data       any
}

func momentLines(m history.Moment, before *resource.Observed) []moment {
	var out []moment
	acted := false
	for _, r := range m.Records {
		_, done := r.Event.(event.Finished)
		acted = acted || done
		out = append(out, moment{r.Event.Type(), render.Sentence(r.Event) + by(r), r.Event})
	}
	how := "changed outside ovi: "
	if acted {
		how = "observed: "
	}
	switch {
	case m.Gone && acted:
		out = append(out, moment{"gone", "observed: deleted", nil})
	case m.Gone:
		out = append(out, moment{"gone", "deleted outside ovi", nil})
	case m.Seen != nil && before == nil:
		out = append(out, moment{"observed", fmt.Sprintf("observed: %s, %s", m.Seen.ID, m.Seen.Health), seenData(m.Seen)})
	case m.Seen != nil:
		out = append(out, moment{"observed", how + differences(*before, *m.Seen), seenData(m.Seen)})
	}
	return out
}

func seenData(o *resource.Observed) any {
	return seen{Observed: *o}.record(render.NewNames(o.Ref.Scope()))
}

func after(m history.Moment, before *resource.Observed) *resource.Observed {
	switch {
	case m.Gone:
		return nil
	case m.Seen != nil:
		return m.Seen
	}
	return before
}

func by(r event.Record) string {
	if r.User == "" {
		return ""
	}
	return " by " + r.User
}

// differences is one line about what changed between two observations.
func differences(a, b resource.Observed) string {
	var out []string
	if a.ID != b.ID {
		out = append(out, "id "+a.ID+" -> "+b.ID)
	}
	if a.Health != b.Health {
		out = append(out, fmt.Sprintf("health %s -> %s", a.Health, b.Health))
	}
	for _, x := range b.Attrs {
		if old, ok := a.Attrs.Get(x.Name); !ok || render.Value(old) != render.Value(x.Value) {
			out = append(out, fmt.Sprintf("%s %s -> %s", x.Name, render.Value(old), render.Value(x.Value)))
		}
	}
	for _, x := range a.Attrs {
		if _, still := b.Attrs.Get(x.Name); !still {
			out = append(out, x.Name+" removed")
		}
	}
	out = append(out, tagDifferences(a.Tags, b.Tags)...)
	if len(out) == 0 {
		return "details"
	}
	return strings.Join(out, ", ")
}

func orUnset(s string) string {
	if s == "" {
		return "(not set)"
	}
	return s
}

func tagDifferences(a, b resource.Tags) []string {
	var out []string
	for _, x := range b {
		if old, ok := a.Get(x.Key); !ok || old != x.Value {
			out = append(out, fmt.Sprintf("tags.%s %s -> %s", x.Key, orUnset(old), x.Value))
		}
	}
	for _, x := range a {
		if _, still := b.Get(x.Key); !still {
			out = append(out, "tags."+x.Key+" removed")
		}
	}
	return out
}

func (c *call) momentRecords(ref resource.Ref, moments []history.Moment) error {
	var before *resource.Observed
	for _, m := range moments {
		for _, line := range momentLines(m, before) {
			err := c.out.Records(render.Moment{
				Type: "moment", Ref: ref.String(), Revision: int64(m.Revision), At: m.At, What: line.what, Text: line.text, Data: line.data,
			})
			if err != nil {
				return err
			}
		}
		before = after(m, before)
	}
	return nil
}
