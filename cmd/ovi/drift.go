package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/explain"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func (p *process) driftCommand() *cli.Command {
	return &cli.Command{
		Name: "drift", Category: catLine, ArgsUsage: "[SOURCE]",
		Usage: "say only what the world changed; read-only",
		Flags: append(planFlags(),
			&cli.BoolFlag{Name: "detailed-exitcode", Usage: "exit 2 when something drifted that is not acknowledged"},
			&cli.BoolFlag{Name: "acked", Usage: "list what was acknowledged, by whom and until when; look at nothing"},
		),
		Action:      p.action((*call).drift),
		Subcommands: []*cli.Command{p.driftAckCommand()},
	}
}

func (c *call) drift() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	if c.cli.Bool("acked") {
		return c.withMemory(c.cli.Args().Slice(), c.listAcknowledged)
	}
	paths, err := c.sources(c.cli.Args().Slice()...)
	if err != nil {
		return err
	}
	return c.withLine(paths, c.driftLine)
}

func (c *call) driftLine(l *session) error {
	planned, err := c.makePlan(l, event.ForDrift)
	if err != nil {
		return err
	}
	m, err := c.driftMemory(l, planned)
	if err != nil {
		return err
	}
	shown := *planned
	shown.Plan = m.tell(planned.Plan)
	if err := c.showPlan(&shown, l.dir, "Drift"); err != nil {
		return err
	}
	if c.out.machine() {
		if err := c.out.records(m.records...); err != nil {
			return err
		}
	}
	if n := len(m.silent); n > 0 {
		c.out.say("Acknowledged and left out: %d, see `ovi drift --acked`.", n)
	}
	if n := m.config; n > 0 {
		c.out.say("The config changed too, which is no drift: %d to do, see `ovi plan`.", n)
	}
	return status(c.planCodes(&shown)...)
}

// driftMemory is what the record says of each difference.
type driftMemory struct {
	notes   map[resource.Ref][]explain.Drift
	silent  map[resource.Ref]bool // acknowledged
	records []render.Record
	config  int // things that differ by what the config says only
	c       *call
}

func (c *call) driftMemory(l *session, p *engine.Planned) (*driftMemory, error) {
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
		told, err := c.threeWays(l.ledger, d)
		if err != nil {
			return nil, err
		}
		m.notes[d.Ref] = told
		var ack *ledger.Acknowledgment
		for k := range acknowledged {
			if acknowledged[k].Ref == d.Ref && acknowledged[k].Holds(explain.DriftDigest(p.Plan.Decisions[i]), c.now()) {
				ack, m.silent[d.Ref] = &acknowledged[k], true
			}
		}
		m.records = append(m.records, driftRecords(d, told, ack, names)...)
	}
	return m, nil
}

// threeWays asks the record about one thing that differs.
func (c *call) threeWays(l *ledger.Ledger, d decider.Decision) ([]explain.Drift, error) {
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

// tell writes to each change who made it and when, and leaves out what is acknowledged.
func (m *driftMemory) tell(p decider.Plan) decider.Plan {
	out := p
	out.Decisions = nil
	for _, d := range p.Decisions {
		if m.silent[d.Ref] {
			continue
		}
		d.Changes = slices.Clone(d.Changes)
		for _, x := range m.notes[d.Ref] {
			if x.Path == "" && x.Cause == explain.Outside {
				d.Message += "; " + x.Note(m.c.now())
			}
			for i := range d.Changes {
				if d.Changes[i].Path == x.Path {
					d.Changes[i].Note = joined(d.Changes[i].Note, x.Note(m.c.now()))
				}
			}
		}
		out.Decisions = append(out.Decisions, d)
	}
	return out
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return fmt.Sprintf("%s; %s", a, b)
}
