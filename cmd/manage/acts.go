package manage

import (
	"errors"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// BlessCommand returns the command `ovi bless`.
func BlessCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "bless", Category: command.GroupManage, ArgsUsage: "REF",
		Usage: "Protect a resource",
		Description: "No action changes or deletes a blessed resource until `ovi unbless REF`, whatever the\n" +
			"configuration says. It is recorded in the audit log, and as a tag where the kind can have one.",
		Flags:  blessFlags(),
		Action: p.Action(func(c *command.Call) error { return bless(c, true) }),
	}
}

// UnblessCommand returns the command `ovi unbless`.
func UnblessCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "unbless", Category: command.GroupManage, ArgsUsage: "REF",
		Usage: "Remove protection",
		Description: "The resource can be changed and deleted again. `blessed: true` in the configuration protects it\n" +
			"again at the next apply: remove that line first.",
		Flags:  blessFlags(),
		Action: p.Action(func(c *command.Call) error { return bless(c, false) }),
	}
}

func blessFlags() []urfave.Flag {
	return []urfave.Flag{
		command.RecordFlag(), session.StackFlag(), command.SignFlag(), command.ReasonFlag(), command.LockFlag(),
	}
}

func bless(c *command.Call, on bool) error {
	return session.WithRef(c, func(l *session.Session, ref resource.Ref) error { return blessIn(c, l, ref, on) })
}

func blessIn(c *command.Call, l *session.Session, ref resource.Ref, on bool) error {
	scans, err := l.Ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	marked, err := l.Engine.MarkedBlessed(c, ref)
	if err != nil {
		return err
	}
	if on || marked {
		if err := command.SameCloud(c, ref); err != nil {
			return err
		}
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	if !on && !marked {
		if is, err := session.IsBlessed(c, l.Ledger, ref); err != nil || !is {
			return errors.Join(err, notBlessed(c, ref, scans))
		}
	}
	if on {
		err = l.Engine.Bless(c, ref, act)
	} else {
		err = l.Engine.Unbless(c, ref, act)
	}
	if err != nil {
		return session.Unsigned(err)
	}
	switch {
	case c.Out.Machine():
		return c.Out.Records(render.Blessing{
			Type: "blessing", Ref: session.NamesIn(scans).Ref(ref), Scope: ref.Scope().String(), Blessed: on, Who: act.Who,
			Reason: act.Reason,
		})
	case on:
		c.Out.Say("%s is blessed: no action changes it until `ovi unbless %s`.", ref.Short(), session.Called(c, ref))
	default:
		c.Out.Say("%s is no longer blessed.", ref.Short())
	}
	return nil
}

// notBlessed tells that there was nothing to remove; nothing is recorded.
func notBlessed(c *command.Call, ref resource.Ref, scans []ledger.Scan) error {
	if c.Out.Machine() {
		return c.Out.Records(render.Blessing{
			Type: "blessing", Ref: session.NamesIn(scans).Ref(ref),
			Scope: ref.Scope().String(),
		})
	}
	c.Out.Say("%s is not blessed. Nothing was changed.", ref.Short())
	return nil
}
