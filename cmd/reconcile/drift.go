package reconcile

import (
	"errors"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/resource"
)

// DriftCommand returns the command `ovi drift`.
func DriftCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "drift", Category: command.GroupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Show changes made outside ovi",
		Flags: append(planFlags(),
			&urfave.BoolFlag{Name: "detailed-exitcode", Usage: "exit 2 when something drifted and is not acknowledged"},
			&urfave.BoolFlag{Name: "acknowledged", Usage: "list acknowledged changes; observe nothing"},
		),
		Action:      p.Action(drift),
		Subcommands: []*urfave.Command{driftAckCommand(p)},
	}
}

// driftOptions are the options of `ovi drift`.
type driftOptions struct {
	planningOptions
	detailed, acknowledged bool
}

func driftOptionsOf(c *command.Call) driftOptions {
	return driftOptions{
		planningOptions: planningOptionsOf(c), detailed: c.Cmd.Bool("detailed-exitcode"),
		acknowledged: c.Cmd.Bool("acknowledged"),
	}
}

func drift(c *command.Call) error {
	o := driftOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	if o.acknowledged {
		return session.WithMemory(c, c.Cmd.Args().Slice(), func(l *ledger.Ledger) error { return listAcknowledged(c, l) })
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	return session.WithAccepting(c, paths, func(l *session.Session) error { return driftLine(c, l, o) })
}

func driftLine(c *command.Call, l *session.Session, o driftOptions) error {
	planned, err := makePlan(c, l, event.ForDrift,
		planOptions{DecidingOptions: DecidingOptions{planningOptions: o.planningOptions}})
	if err != nil {
		return err
	}
	m, err := memoryOfDrift(c, l, planned)
	if err != nil {
		return err
	}
	shown := *planned
	// What is acknowledged is not shown.
	shown.Plan.Decisions = slices.DeleteFunc(slices.Clone(planned.Plan.Decisions),
		func(d decider.Decision) bool { return m.silent[d.Ref] })
	if err := showDrift(c, &shown, m); err != nil {
		return err
	}
	if err := tellUnconfigured(c, l, planned); err != nil {
		return err
	}
	if c.Out.Machine() {
		if err := c.Out.Records(m.records...); err != nil {
			return err
		}
	}
	if n := m.changing; n > 0 {
		c.Out.Say("%d not compared, because an action of ovi is changing it (`ovi status`).", n)
	}
	if n := m.config; n > 0 {
		c.Out.Say("%d changed in the configuration, which is not drift (`ovi plan`).", n)
	}
	whole := *planned
	whole.Plan = planned.Whole
	if n, shownToo := event.Count(whole.Plan).Conflict, event.Count(shown.Plan).Conflict; n > shownToo {
		c.Out.Say("%s (`ovi plan`).", render.Many(n, "conflict"))
	}
	return cli.Exit(append(planCodes(&shown, o.detailed), standingCodes(&whole)...)...)
}

// tellUnconfigured names the resources on which something changed that their configuration does not mention.
func tellUnconfigured(c *command.Call, l *session.Session, p *engine.Planned) error {
	past, kinds := history.New(l.Ledger.Reader()), command.Schemas(c.Process).Kind
	var changed []resource.Ref
	for i := range p.Intents {
		for k := range p.Intents[i].Resources {
			want := &p.Intents[i].Resources[k]
			have, ok := p.ResourceAt(want.Ref)
			if !ok || have.Condition == resource.Unreadable {
				continue
			}
			was, err := past.AfterAction(c, want.Ref)
			if err != nil && !errors.Is(err, ledger.ErrNotFound) {
				return err
			}
			kind, _ := kinds(want.Ref.Provider, want.Ref.Kind)
			if was != nil && len(explain.Unconfigured(explain.Differ(*was, *have), *want, kind)) > 0 {
				changed = append(changed, want.Ref)
			}
		}
	}
	if c.Out.Machine() && len(changed) > 0 {
		return c.Out.Records(render.Info{Type: "changed_unconfigured", Data: changed})
	}
	if len(changed) == 0 {
		return nil
	}
	names := session.NamesOf(p).Shorten(changed...)
	more := ""
	if n := len(changed) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	c.Out.Say("%d changed in attributes or tags that are not configured: %s%s (`ovi history %s`).", len(changed),
		names(changed[0]), more, names(changed[0]))
	return nil
}

// driftMemory is what the record says of each difference.
type driftMemory struct {
	notes   map[resource.Ref][]explain.Drift
	silent  map[resource.Ref]bool // acknowledged
	records []render.Record
	config  int // things that differ by what the config says only
	// changing counts the things that differ and that a running action changes.
	changing int
	c        *command.Call
}

func memoryOfDrift(c *command.Call, l *session.Session, p *engine.Planned) (*driftMemory, error) {
	m := &driftMemory{notes: map[resource.Ref][]explain.Drift{}, silent: map[resource.Ref]bool{}, c: c}
	acknowledged, err := l.Ledger.Acknowledged(c)
	if err != nil {
		return nil, err
	}
	names := session.NamesOf(p)
	for _, d := range p.Whole.Decisions {
		i := slices.IndexFunc(p.Plan.Decisions, func(x decider.Decision) bool { return x.Ref == d.Ref })
		if i < 0 {
			switch {
			case !d.Proposed.Executes():
			case p.Changing(d.Ref):
				m.changing++
			default:
				m.config++
			}
			continue
		}
		told, err := threeWays(c, l.Ledger, d)
		if err != nil {
			return nil, err
		}
		m.notes[d.Ref] = told
		var ack *ledger.Acknowledgment
		for k := range acknowledged {
			if acknowledged[k].Ref == d.Ref && acknowledged[k].Holds(explain.DriftDigest(p.Plan.Decisions[i]), c.Now()) {
				ack, m.silent[d.Ref] = &acknowledged[k], true
			}
		}
		m.records = append(m.records, driftRecords(d, told, ack, names)...)
	}
	return m, nil
}

// threeWays asks the record about one thing that differs.
func threeWays(c *command.Call, l *ledger.Ledger, d decider.Decision) ([]explain.Drift, error) {
	life, err := history.New(l.Reader()).History(c, d.Ref)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return nil, err
	}
	applied, known, err := l.Applied(c, d.Ref, 0)
	if err != nil {
		return nil, err
	}
	if !known {
		return explain.Explain(d, nil, life), nil
	}
	return explain.Explain(d, &applied, life), nil
}

// note says who changed an attribute and when.
func (m *driftMemory) note(ref resource.Ref, path string) string {
	for _, x := range m.notes[ref] {
		if x.Path == path {
			return x.Note(m.c.Now())
		}
	}
	return ""
}

// showDrift writes drift: a page for people, records for machines.
func showDrift(c *command.Call, p *engine.Planned, m *driftMemory) error {
	names := session.NamesOf(p)
	if !c.Out.Machine() {
		for _, line := range session.UnreadLines(c, p) {
			c.Out.Say("%s", line)
		}
		return planview.Drift{
			Plan: p.Plan, Names: names, Kinds: command.Schemas(c.Process).Kind, Note: m.note, Acknowledged: len(m.silent),
			ID: p.IDOf,
		}.Write(c.Out.W, c.Out.Style)
	}
	if err := errors.Join(unreadSources(c, p), Unreachable(c, p, names)); err != nil {
		return err
	}
	if err := c.Out.Records(append(session.LookRecords(c, p, names), render.Planned(p.Plan, names)...)...); err != nil {
		return err
	}
	return c.Out.Records(render.ChangeSummary{
		Type: "change_summary", Operation: "drift", Counts: render.Count(p.Plan), Unmanaged: render.UnmanagedIn(p.Plan),
		Plan: p.ID, Sandbox: c.Sandboxed(),
	})
}
