package manage

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// RetryCommand returns the command `ovi retry`.
func RetryCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "retry", Category: command.GroupManage, ArgsUsage: "REF",
		Usage: "Allow new attempts of a failed configuration",
		Description: "A configuration is not tried again after 8 failures in a row (rules: attempts), until it\n" +
			"changes. A resource that does not stay in its configured state is restarted at most 3 times in\n" +
			"10 minutes. `ovi retry` resets both limits.",
		Flags:  []urfave.Flag{command.RecordFlag(), session.StackFlag(), command.ReasonFlag()},
		Action: p.Action(retry),
	}
}

func retry(c *command.Call) error {
	return session.WithRef(c, func(l *session.Session, ref resource.Ref) error {
		if err := l.Engine.Retry(c, ref, session.Act(c)); err != nil {
			return err
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{Type: "retried", Data: map[string]string{"ref": ref.String()}})
		}
		c.Out.Say("%s is tried again by the next `ovi apply`, or by `ovi run`.", ref.Short())
		return nil
	})
}
