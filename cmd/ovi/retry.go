package main

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func retryCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "retry", Category: groupManage, ArgsUsage: "REF",
		Usage: "Allow new attempts of a failed configuration",
		Description: "A configuration is not tried again after 8 failures in a row (rules: attempts), until it\n" +
			"changes. A resource that does not stay in its configured state is restarted at most 3 times in\n" +
			"10 minutes. `ovi retry` resets both limits.",
		Flags:  []urfave.Flag{recordFlag(), reasonFlag()},
		Action: p.action(retry),
	}
}

func retry(c *call) error {
	return withRef(c, func(l *session, ref resource.Ref) error {
		if err := l.engine.Retry(c, ref, act(c)); err != nil {
			return err
		}
		if c.out.Machine() {
			return c.out.Records(render.Info{Type: "retried", Data: map[string]string{"ref": ref.String()}})
		}
		c.out.Say("%s is tried again by the next `ovi apply`, or by `ovi run`.", ref.Short())
		return nil
	})
}
