package reconcile

import (
	"os"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
)

// DestroyCommand returns the command `ovi destroy`.
func DestroyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "destroy", Category: command.GroupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Delete everything of a stack",
		Description: "Plans as if nothing were configured, asks, and deletes the resources of the stack in the reverse\n" +
			"order of their dependencies. The rules of the stack hold: what is blessed, above max_destroy, or in\n" +
			"need of approval is not deleted, and the command exits 6. ovi does not change unmanaged resources.\n" +
			"The data directory keeps its audit log: `ovi why` and `ovi history` go on to answer.",
		Flags: append(planFlags(), append(executingFlags(), PruneDataFlag(),
			session.StackNameFlag("destroy stack `NAME` by its last applied configuration"),
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be deleted, and change nothing"})...),
		Action: p.Action(destroy),
	}
}

// destroyOptions are the options of `ovi destroy`.
type destroyOptions struct {
	applyOptions
	stack    string
	dryRun   bool
	rendered string // the first given option by which a source is read
}

func destroyOptionsOf(c *command.Call) destroyOptions {
	return destroyOptions{
		applyOptions: applyOptions{
			DecidingOptions: DecidingOptions{
				planningOptions: planningOptionsOf(c), PruneData: PruneDataOf(c), destroy: true,
			},
			executingOptions: executingOptionsOf(c),
		},
		stack: session.StackNameOf(c), dryRun: c.Cmd.Bool("dry-run"), rendered: c.Given("env", "values", "set"),
	}
}

func destroy(c *command.Call) error {
	o := destroyOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	defer c.Bounded()()
	do := func(l *session.Session) error { return planAndApply(c, l, o.applyOptions) }
	if o.dryRun {
		do = func(l *session.Session) error {
			return planLine(c, l, nil, planOptions{DecidingOptions: o.DecidingOptions})
		}
	}
	if o.stack != "" {
		// It needs no source: the record has the last configuration of the stack.
		if o.rendered != "" {
			return cli.Usage("omit one of them", "--stack %s and --%s are both given", o.stack, o.rendered)
		}
		paths := session.Named(c, c.Cmd.Args().Slice())
		if len(paths) == 0 {
			if _, err := os.Stat(session.DefaultSource); err == nil {
				paths = []string{session.DefaultSource}
			}
		} else if _, err := session.Sources(c, paths...); err != nil {
			return err
		}
		return session.WithStack(c, paths, o.stack, do)
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	return session.WithLine(c, paths, func(l *session.Session) error {
		if name, by := session.EnvironmentOf(c, l.Intents); name != "" && by != "--env" {
			return cli.Usage("add --env "+name, "`ovi destroy` needs --env: %s=%s is not enough", by, name)
		}
		return do(l)
	})
}
