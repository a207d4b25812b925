package main

import (
	"errors"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func blessCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "bless", Category: groupManage, ArgsUsage: "REF",
		Usage: "Protect a resource",
		Description: "No action changes or deletes a blessed resource until `ovi unbless REF`, whatever the\n" +
			"configuration says. It is recorded in the audit log, and as a tag where the kind can have one.",
		Flags:  []urfave.Flag{recordFlag(), signFlag(), reasonFlag(), lockFlag()},
		Action: p.action(func(c *call) error { return bless(c, true) }),
	}
}

func unblessCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "unbless", Category: groupManage, ArgsUsage: "REF",
		Usage: "Remove protection",
		Description: "The resource can be changed and deleted again. `blessed: true` in the configuration protects it\n" +
			"again at the next apply: remove that line first.",
		Flags:  []urfave.Flag{recordFlag(), signFlag(), reasonFlag(), lockFlag()},
		Action: p.action(func(c *call) error { return bless(c, false) }),
	}
}

func bless(c *call, on bool) error {
	return withRef(c, func(l *session, ref resource.Ref) error { return blessIn(c, l, ref, on) })
}

func blessIn(c *call, l *session, ref resource.Ref, on bool) error {
	scans, err := l.ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	marked, err := l.engine.MarkedBlessed(c, ref)
	if err != nil {
		return err
	}
	if on || marked {
		if err := sameCloud(c, ref); err != nil {
			return err
		}
	}
	act, err := signedAct(c)
	if err != nil {
		return err
	}
	if !on && !marked {
		if is, err := isBlessed(c, l.ledger, ref); err != nil || !is {
			return errors.Join(err, notBlessed(c, ref, scans))
		}
	}
	if on {
		err = l.engine.Bless(c, ref, act)
	} else {
		err = l.engine.Unbless(c, ref, act)
	}
	if err != nil {
		return unsigned(err)
	}
	return tellBlessing(c, ref, render.Blessing{
		Type: "blessing", Ref: namesIn(scans).Ref(ref), Scope: ref.Scope().String(), Blessed: on, Who: act.Who, Reason: act.Reason,
	})
}

func tellBlessing(c *call, ref resource.Ref, b render.Blessing) error {
	switch {
	case c.out.Machine():
		return c.out.Records(b)
	case b.Blessed:
		c.out.Say("%s is blessed: no action changes it until `ovi unbless %s`.", ref.Short(), c.arg(0))
	default:
		c.out.Say("%s is no longer blessed.", ref.Short())
	}
	return nil
}

// notBlessed tells that there was nothing to remove; nothing is recorded.
func notBlessed(c *call, ref resource.Ref, scans []ledger.Scan) error {
	if c.out.Machine() {
		return c.out.Records(render.Blessing{Type: "blessing", Ref: namesIn(scans).Ref(ref), Scope: ref.Scope().String()})
	}
	c.out.Say("%s is not blessed. Nothing was changed.", ref.Short())
	return nil
}
