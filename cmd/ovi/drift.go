package main

import (
	"errors"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func driftCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "drift", Category: groupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Show changes made outside ovi",
		Flags: append(planFlags(),
			&urfave.BoolFlag{Name: "detailed-exitcode", Usage: "exit 2 when something drifted and is not acknowledged"},
			&urfave.BoolFlag{Name: "acknowledged", Usage: "list acknowledged changes; observe nothing"},
		),
		Action:      p.action(drift),
		Subcommands: []*urfave.Command{driftAckCommand(p)},
	}
}

func drift(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	if c.cmd.Bool("acknowledged") {
		return withMemory(c, c.cmd.Args().Slice(), func(l *ledger.Ledger) error { return listAcknowledged(c, l) })
	}
	paths, err := c.sources(c.cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	return withLine(c, paths, func(l *session) error { return driftLine(c, l) })
}

func driftLine(c *call, l *session) error {
	planned, err := makePlan(c, l, event.ForDrift)
	if err != nil {
		return err
	}
	m, err := memoryOfDrift(c, l, planned)
	if err != nil {
		return err
	}
	shown := *planned
	shown.Plan = m.unacknowledged(planned.Plan)
	if err := showDrift(c, &shown, m); err != nil {
		return err
	}
	if c.out.Machine() {
		if err := c.out.Records(m.records...); err != nil {
			return err
		}
	}
	if n := m.config; n > 0 {
		c.out.Say("%d changed in the configuration, which is not drift (`ovi plan`).", n)
	}
	whole := *planned
	whole.Plan = planned.Whole
	if n, shownToo := event.Count(whole.Plan).Conflict, event.Count(shown.Plan).Conflict; n > shownToo {
		c.out.Say("%s (`ovi plan`).", render.Many(n, "conflict"))
	}
	return cli.Exit(append(planCodes(c, &shown), standingCodes(&whole)...)...)
}

// driftMemory is what the record says of each difference.
type driftMemory struct {
	notes   map[resource.Ref][]explain.Drift
	silent  map[resource.Ref]bool // acknowledged
	records []render.Record
	config  int // things that differ by what the config says only
	c       *call
}

func memoryOfDrift(c *call, l *session, p *engine.Planned) (*driftMemory, error) {
	m := &driftMemory{notes: map[resource.Ref][]explain.Drift{}, silent: map[resource.Ref]bool{}, c: c}
	acknowledged, err := l.ledger.Acknowledged(c)
	if err != nil {
		return nil, err
	}
	names := namesOf(p)
	for _, d := range p.Whole.Decisions {
		i := slices.IndexFunc(p.Plan.Decisions, func(x decider.Decision) bool { return x.Ref == d.Ref })
		if i < 0 {
			if d.Proposed.Executes() {
				m.config++
			}
			continue
		}
		told, err := threeWays(c, l.ledger, d)
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
func threeWays(c *call, l *ledger.Ledger, d decider.Decision) ([]explain.Drift, error) {
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

// unacknowledged is the plan without what is acknowledged.
func (m *driftMemory) unacknowledged(p decider.Plan) decider.Plan {
	p.Decisions = slices.DeleteFunc(slices.Clone(p.Decisions), func(d decider.Decision) bool { return m.silent[d.Ref] })
	return p
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
func showDrift(c *call, p *engine.Planned, m *driftMemory) error {
	names := namesOf(p)
	if !c.out.Machine() {
		return render.DriftView{
			Plan: p.Plan, Names: names, Kinds: schemas(c.process).Kind, Note: m.note, Acknowledged: len(m.silent), ID: p.IDOf,
		}.Write(c.out.W, c.out.Style)
	}
	if err := unreachable(c, p, names); err != nil {
		return err
	}
	if err := c.out.Records(append(lookRecords(c, p, names), render.Planned(p.Plan, names)...)...); err != nil {
		return err
	}
	return c.out.Records(render.ChangeSummary{
		Type: "change_summary", Operation: "drift", Counts: render.Count(p.Plan), Unmanaged: render.UnmanagedIn(p.Plan), Plan: p.ID, Sandbox: c.sandboxed(),
	})
}
