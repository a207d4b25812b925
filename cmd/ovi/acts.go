package main

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func reasonFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "reason", Usage: "record `TEXT` as the reason"}
}

func (p *process) blessCommand() *urfave.Command {
	return &urfave.Command{
		Name: "bless", Category: groupManage, ArgsUsage: "REF",
		Usage:  "Protect a resource",
		Flags:  []urfave.Flag{sourceFlag(), reasonFlag(), lockFlag()},
		Action: p.action(func(c *call) error { return c.bless(true) }),
	}
}

func (p *process) unblessCommand() *urfave.Command {
	return &urfave.Command{
		Name: "unbless", Category: groupManage, ArgsUsage: "REF",
		Usage:  "Remove protection",
		Flags:  []urfave.Flag{sourceFlag(), reasonFlag(), lockFlag()},
		Action: p.action(func(c *call) error { return c.bless(false) }),
	}
}

func (p *process) adoptCommand() *urfave.Command {
	return &urfave.Command{
		Name: "adopt", Category: groupManage, ArgsUsage: "REF [SOURCE]",
		Usage:  "Manage an existing resource",
		Flags:  []urfave.Flag{sourceFlag(), reasonFlag(), lockFlag()},
		Action: p.action((*call).adopt),
	}
}

func lockFlag() urfave.Flag {
	return &urfave.DurationFlag{Name: "lock-timeout", Usage: "wait up to `DURATION` for resources claimed by others", Value: shortWait}
}

func (c *call) act() engine.OperatorAction {
	return engine.OperatorAction{Who: c.User(), Reason: c.cmd.String("reason")}
}

func (c *call) bless(on bool) error {
	if err := c.oneRef(); err != nil {
		return err
	}
	dir, err := c.recordDir()
	if err != nil {
		return err
	}
	l, err := c.openLiveState(dir, nil, nil)
	if err != nil {
		return err
	}
	return c.closing(l, c.blessIn(l, on))
}

func (c *call) blessIn(l *session, on bool) error {
	ref, err := c.ref(l.ledger, c.arg(0))
	if err != nil {
		return err
	}
	scans, err := l.ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	marked, err := l.engine.MarkedBlessed(c, ref)
	if err != nil {
		return err
	}
	if on || marked {
		if err := c.sameCloud(ref); err != nil {
			return err
		}
	}
	act := c.act()
	if on {
		err = l.engine.Bless(c, ref, act)
	} else {
		err = l.engine.Unbless(c, ref, act)
	}
	if err != nil {
		return err
	}
	return c.tellBlessing(render.Blessing{
		Type: "blessing", Ref: namesIn(scans).Ref(ref), Scope: ref.Scope().String(), Blessed: on, Who: act.Who, Reason: act.Reason,
	})
}

func (c *call) tellBlessing(b render.Blessing) error {
	switch {
	case c.out.Machine():
		return c.out.Records(b)
	case b.Blessed:
		c.out.Say("%s is blessed: no action changes it until `ovi unbless %s`.", b.Ref, c.arg(0))
	default:
		c.out.Say("%s is no longer blessed.", b.Ref)
	}
	return nil
}

func (c *call) adopt() error {
	if c.arg(0) == "" {
		return cli.Usage("use its name in the configuration, such as ec2/web-0", "`ovi adopt` needs a resource")
	}
	if err := c.atMost(2); err != nil {
		return err
	}
	paths, err := c.sources(c.cmd.Args().Slice()[1:]...)
	if err != nil {
		return err
	}
	return c.withLine(paths, c.adoptIn)
}

func (c *call) adoptIn(l *session) error {
	ref, err := desired(l.intents, c.arg(0))
	if err != nil {
		return err
	}
	got, err := l.engine.Adopt(c, l.intents, engine.Adoption{OperatorAction: c.act(), Ref: ref})
	if err != nil {
		return err
	}
	scans, err := l.ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := namesIn(scans)
	if c.out.Machine() {
		return c.out.Records(seen{Observed: got, at: c.Now()}.record(names))
	}
	c.out.Say("%s (%s) is now managed by stack %s. Run `ovi plan` to compare it with the configuration.", names.Ref(got.Ref), got.ID, got.Stack)
	return nil
}

// desired finds a configured resource by its full ref, kind/name, or name.
func desired(intents []resource.Intent, spelling string) (resource.Ref, error) {
	var found []resource.Ref
	var names []string
	for _, in := range intents {
		for _, d := range in.Resources {
			short := d.Ref.Kind + "/" + d.Ref.Name
			names = append(names, short)
			if spelling == d.Ref.String() || spelling == short || spelling == d.Ref.Name {
				found = append(found, d.Ref)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		next := "add it to the configuration first"
		if near, ok := resource.Nearest(spelling, names); ok {
			next = "did you mean " + near + "?"
		}
		return resource.Ref{}, cli.Usage(next, "%q is not in the configuration", spelling)
	}
	return resource.Ref{}, cli.Usage(fmt.Sprintf("use the full ref, such as %s", found[0]), "%q matches %d resources", spelling, len(found))
}
