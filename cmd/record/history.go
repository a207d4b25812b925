package record

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// HistoryCommand returns the command `ovi history`.
func HistoryCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "history", Category: command.GroupInspect, ArgsUsage: "REF",
		Usage:  "List a resource's events",
		Flags:  []urfave.Flag{command.RecordFlag(), session.StackFlag()},
		Action: p.Action(showLife),
	}
}

func showLife(c *command.Call) error {
	if err := session.OneRef(c); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return showHistory(c, l) })
}

func showHistory(c *command.Call, l *ledger.Ledger) error {
	ref, err := session.Ref(c, l, c.Arg(0))
	if err != nil {
		return err
	}
	moments, err := history.New(l.Reader()).History(c, ref)
	if err != nil {
		return err
	}
	oldest, err := history.New(l.Reader()).Compacted(c, ref)
	if err != nil {
		return err
	}
	if c.Out.Machine() {
		if oldest > 0 {
			if err := c.Out.Records(render.Info{Type: "history_compacted", Data: oldest}); err != nil {
				return err
			}
		}
		return momentRecords(c, ref, moments)
	}
	kind, _ := command.Schemas(c.Process).Kind(ref.Provider, ref.Kind)
	t := render.Table{Head: []string{"REVISION", "TIME (UTC)", "EVENT"}, Flexible: 2}
	var before *resource.Observed
	var open *event.Started
	for _, m := range moments {
		for _, line := range momentLines(m, before, kind, open) {
			t.Rows = append(t.Rows, []string{fmt.Sprint(m.Revision), m.At.UTC().Format("2006-01-02 15:04:05"), line.text})
		}
		before, open = after(m, before), openAfter(m, open)
	}
	if err := c.Out.Table(t, "No events."); err != nil || oldest == 0 {
		return err
	}
	c.Out.Warn(fmt.Sprintf("the store was compacted at revision %d, so older events are missing here", oldest),
		"run `ovi audit log "+session.Called(c, ref)+"` with the data directory of each instance")
	return nil
}

// moment is a line of a history: its type, its text for users, its data for programs.
type moment struct {
	what, text string
	data       any
}

// openAfter returns the action that is in flight after a moment, or whose result is not certain. It may have caused
// what changes or is gone then. Nil means that there is none.
func openAfter(m history.Moment, open *event.Started) *event.Started {
	for _, r := range m.Records {
		switch e := r.Event.(type) {
		case event.Started:
			open = &e
		case event.Finished:
			if e.Outcome != event.Accepted && e.Outcome != event.Uncertain && e.Outcome != event.Late {
				open = nil
			}
		case event.Recovered:
			if mayArrive := e.Finding == event.FoundNotDone && !e.Failed; !mayArrive {
				open = nil
			}
		}
	}
	return open
}

// momentLines are the lines of a moment; open is the action without a result before it, or nil.
func momentLines(m history.Moment, before *resource.Observed, kind resource.Kind, open *event.Started) []moment {
	var out []moment
	acted, moved := false, false
	leaves := open != nil && (open.Action == decider.Delete || open.Phase == event.PhaseDelete)
	for _, r := range m.Records {
		switch r.Event.(type) {
		case event.Finished, event.Disowned:
			acted = true
		case event.Moved: // what is gone or found is another name, or another resource
			moved = true
		}
		out = append(out, moment{r.Event.Type(), render.SentenceBy(r.Event, r.User), r.Event})
	}
	switch {
	case moved:
	case m.Gone && (acted || leaves):
		out = append(out, moment{"deleted", "observed: deleted", nil})
	case m.Gone:
		out = append(out, moment{"deleted", "deleted outside ovi", nil})
	case m.Seen != nil && m.Seen.Condition == resource.Unreadable:
		out = append(out, moment{"observed", "could not be read: " + m.Seen.Message, seenData(m.Seen)})
	case m.Seen != nil && before == nil:
		out = append(out, moment{"observed", fmt.Sprintf("observed: %s, %s", m.Seen.ID, m.Seen.Health), seenData(m.Seen)})
	case m.Seen != nil:
		changes, how := explain.WithoutBinding(explain.Differ(*before, *m.Seen)), "observed: "
		if !acted && open == nil && before.ID == m.Seen.ID && m.Seen.Role == "" && explain.MadeOutside(changes, kind) {
			how = "changed outside ovi: "
		}
		if len(changes) > 0 {
			texts := make([]string, len(changes))
			for i, x := range changes {
				texts[i] = x.Name() + " " + render.Value(x.From) + " -> " + render.Value(x.To)
			}
			out = append(out, moment{"observed", how + strings.Join(texts, ", "), seenData(m.Seen)})
		}
	}
	return out
}

func seenData(o *resource.Observed) any {
	return command.Seen{Observed: *o}.Record(render.NewNames(o.Ref.Scope()))
}

func after(m history.Moment, before *resource.Observed) *resource.Observed {
	switch {
	case m.Gone:
		return nil
	case m.Seen != nil && m.Seen.Condition != resource.Unreadable:
		return m.Seen
	}
	return before
}

func momentRecords(c *command.Call, ref resource.Ref, moments []history.Moment) error {
	kind, _ := command.Schemas(c.Process).Kind(ref.Provider, ref.Kind)
	var before *resource.Observed
	var open *event.Started
	for _, m := range moments {
		for _, line := range momentLines(m, before, kind, open) {
			err := c.Out.Records(render.Moment{
				Type: "moment", Ref: ref.String(), Revision: int64(m.Revision), At: m.At, What: line.what, Text: line.text,
				Data: line.data,
			})
			if err != nil {
				return err
			}
		}
		before, open = after(m, before), openAfter(m, open)
	}
	return nil
}
