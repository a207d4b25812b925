package reconcile

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
)

const destroyName = "destroy"

// destroys reports whether the command deletes what is configured.
func destroys(c *command.Call) bool { return c.Cmd.Command.Name == destroyName }

// DestroyCommand returns the command `ovi destroy`.
func DestroyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: destroyName, Category: command.GroupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Delete everything of a stack",
		Description: "Plans as if nothing were configured, asks, and deletes the resources of the stack in the reverse\n" +
			"order of their dependencies. The rules of the stack hold: what is blessed, above max_destroy, or in\n" +
			"need of approval is not deleted, and the command exits 6. ovi does not change unmanaged resources.\n" +
			"The data directory keeps its audit log: `ovi why` and `ovi history` go on to answer.",
		Flags: append(planFlags(), append(executingFlags(), PruneDataFlag(),
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be deleted, and change nothing"})...),
		Action: p.Action(destroy),
	}
}

func destroy(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	defer c.Bounded()()
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	if c.Cmd.Bool("dry-run") {
		return session.WithLine(c, paths, func(l *session.Session) error { return planLine(c, l, paths) })
	}
	return session.WithLine(c, paths, func(l *session.Session) error { return planAndApply(c, l) })
}
