package edge

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/render"
)

func edgeLockCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "lock", ArgsUsage: "SITE[/NODE[/DEPLOYMENT]]",
		Usage: "Start no new configuration on a site, a node, or of a deployment there",
		Description: "Updates in progress finish. Unhealthy deployments are restarted; lost ones are installed again with\n" +
			"their last good configuration. Nothing is deleted. It is recorded in the data directory of the\n" +
			"orchestrator of the site (--data-dir, or -f SOURCE).",
		Flags:  []urfave.Flag{command.RecordFlag(), command.ReasonFlag()},
		Action: p.Action(func(c *command.Call) error { return edgeLock(c, true) }),
	}
}

func edgeUnlockCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "unlock", ArgsUsage: "SITE[/NODE[/DEPLOYMENT]]",
		Usage:  "Let new configurations start again",
		Flags:  []urfave.Flag{command.RecordFlag(), command.ReasonFlag()},
		Action: p.Action(func(c *command.Call) error { return edgeLock(c, false) }),
	}
}

func edgeLock(c *command.Call, on bool) error {
	verb := c.Cmd.Command.Name
	parts := strings.Split(c.Arg(0), "/")
	if c.Cmd.NArg() != 1 || len(parts) > 3 || !edge.IsSite(parts[0]) || len(parts) > 1 &&
		!edge.IsNode(parts[0]+"/"+parts[1]) {
		return cli.Usage("for example, ovi edge "+verb+" berlin/n1", "name a site, SITE/NODE or SITE/NODE/DEPLOYMENT")
	}
	o := event.Ordered{Stack: parts[0], On: on}
	if len(parts) > 1 {
		o.Location = parts[0] + "/" + parts[1]
	}
	if len(parts) > 2 {
		o.Name = parts[2]
	}
	return session.WithRecord(c, func(l *session.Session) error {
		if err := l.Engine.Lock(c, o, session.Act(c)); err != nil {
			return err
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{Type: verb + "ed", Data: map[string]string{"target": c.Arg(0)}})
		}
		c.Out.Say("%s is %sed for new configurations.", c.Arg(0), verb)
		return nil
	})
}
