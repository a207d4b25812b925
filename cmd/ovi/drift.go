package main

import (
	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/ledger"
)

func (p *process) driftCommand() *cli.Command {
	return &cli.Command{
		Name: "drift", Category: catLine, ArgsUsage: "[SOURCE]",
		Usage: "say only what the world changed; read-only",
		Flags: append(planFlags(),
			&cli.BoolFlag{Name: "detailed-exitcode", Usage: "exit 2 when something drifted"},
		),
		Action: p.action((*call).drift),
	}
}

func (c *call) drift() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	paths, err := c.sources(c.cli.Args().Slice()...)
	if err != nil {
		return err
	}
	return c.withLine(paths, func(l *line) error {
		planned, err := c.makePlan(l, ledger.ForDrift)
		if err != nil {
			return err
		}
		if err := c.showPlan(planned, l.dir, "Drift"); err != nil {
			return err
		}
		return status(c.planCodes(planned)...)
	})
}
