package main

import (
	urfave "github.com/urfave/cli/v2"
)

const destroyName = "destroy"

// destroys reports whether the command deletes what is configured.
func destroys(c *call) bool { return c.cmd.Command.Name == destroyName }

func destroyCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: destroyName, Category: groupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Delete everything of a stack",
		Description: "Plans as if nothing were configured, asks, and deletes the resources of the stack in the reverse order of\n" +
			"their dependencies. The rules of the stack hold: what is blessed, above max_destroy, or in need of approval is\n" +
			"not deleted, and the command exits 6. Resources that ovi does not manage are left as they are. The data\n" +
			"directory keeps its audit log: `ovi why` and `ovi history` go on to answer.",
		Flags: append(planFlags(), append(executingFlags(), pruneDataFlag(),
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be deleted, and change nothing"})...),
		Action: p.action(destroy),
	}
}

func destroy(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	defer c.bounded()()
	paths, err := c.sources(c.cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	if c.cmd.Bool("dry-run") {
		return withLine(c, paths, func(l *session) error { return planLine(c, l, paths) })
	}
	return withLine(c, paths, func(l *session) error { return planAndApply(c, l) })
}
