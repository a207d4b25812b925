package manage

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// ForgetCommand returns the command `ovi forget`.
func ForgetCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "forget", Category: command.GroupManage, ArgsUsage: "REF",
		Usage: "Stop managing a resource without deleting it",
		Description: "ovi does not change the resource now or later. Remove it from the configuration as well, or\n" +
			"the next plan reports a conflict. With --id, a resource that has the tags of REF but is not\n" +
			"the recorded one is ignored from now on.",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(), command.SignFlag(), command.ReasonFlag(), command.LockFlag(),
			&urfave.StringFlag{Name: "id", Usage: "forget the resource with `ID` (default: the recorded one)"},
		},
		Action: p.Action(forget),
	}
}

// MoveCommand returns the command `ovi move`.
func MoveCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "move", Category: command.GroupManage, ArgsUsage: "REF REF",
		Usage: "Rename a resource, or move it to another stack",
		Description: "The second REF is the new name, such as ec2/api-0, or STACK:ec2/api-0 for another stack. The\n" +
			"audit log and the tags use it from then on; the resource is not changed otherwise. Rename it in\n" +
			"the configuration as well: while only the old name is configured, both names are a conflict, and\n" +
			"`ovi apply` changes neither. To rename without a command, add `was: OLD` to the block.\n" +
			"A stack that a resource was moved to does not delete it before it has configured it.\n" +
			"With --exchange, two resources exchange their names in one step.",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(), command.ReasonFlag(), command.LockFlag(),
			&urfave.BoolFlag{Name: "exchange", Usage: "exchange the names of two resources"},
		},
		Action: p.Action(move),
	}
}

// forgetOptions are the options of `ovi forget`.
type forgetOptions struct{ id string }

func forgetOptionsOf(c *command.Call) forgetOptions { return forgetOptions{id: c.Cmd.String("id")} }

func forget(c *command.Call) error {
	o := forgetOptionsOf(c)
	return session.WithRef(c, func(l *session.Session, ref resource.Ref) error {
		if err := command.SameCloud(c, ref); err != nil {
			return err
		}
		act, err := session.SignedAct(c)
		if err != nil {
			return err
		}
		done, err := l.Engine.Forget(c, ref, o.id, act)
		if err != nil {
			return session.Unsigned(err)
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{Type: "forgotten", Data: done})
		}
		switch e := done.(type) {
		case event.Disowned:
			c.Out.Say("%s (%s) is no longer managed by ovi. The resource was not changed.", ref.Short(), e.ID)
		case event.Dismissed:
			c.Out.Say("%s is ignored for %s from now on. The resource was not changed.", e.ID, ref.Short())
		}
		return nil
	})
}

// moveOptions are the options of `ovi move`.
type moveOptions struct{ exchange bool }

func moveOptionsOf(c *command.Call) moveOptions { return moveOptions{exchange: c.Cmd.Bool("exchange")} }

func move(c *command.Call) error {
	o := moveOptionsOf(c)
	if c.Cmd.NArg() != 2 {
		return cli.Usage("use ovi move ec2/web-0 ec2/api-0", "`ovi move` needs two names")
	}
	return session.WithRecord(c, func(l *session.Session) error {
		from, err := session.Ref(c, l.Ledger, c.Arg(0))
		if err != nil {
			return err
		}
		to, err := renamed(from, c.Arg(1))
		if err != nil {
			return err
		}
		if err := command.SameCloud(c, from); err != nil {
			return err
		}
		if o.exchange {
			return exchange(c, l, from, to)
		}
		if err := l.Engine.Move(c, from, to, session.Act(c)); err != nil {
			return err
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{
				Type: "moved",
				Data: map[string]string{"from": from.String(), "ref": to.String(), "stack": to.Stack},
			})
		}
		where := ""
		if to.Stack != from.Stack {
			where = " of stack " + to.Stack
		}
		c.Out.Say("%s is now %s%s. Rename it in the configuration as well: while that has %s, `ovi apply` changes "+
			"neither name.", from.Short(), to.Short(), where, from.Short())
		return nil
	})
}

func exchange(c *command.Call, l *session.Session, one, other resource.Ref) error {
	if err := l.Engine.Exchange(c, one, other, session.Act(c)); err != nil {
		return err
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{
			Type: "exchanged", Data: map[string]string{"ref": one.String(), "other": other.String()},
		})
	}
	short := resource.Shorten([]resource.Ref{one, other}, nil)
	c.Out.Say("%s and %s have exchanged their names. Exchange them in the configuration as well: until then, `ovi apply` "+
		"changes neither.", short(one), short(other))
	return nil
}

// renamed reads a new name: NAME, KIND/NAME or a full ref, each with STACK: before it or not. What
// it leaves open is as it was.
func renamed(from resource.Ref, text string) (to resource.Ref, err error) {
	stack, name, ok := resource.CutStack(text)
	to = from
	if ok && stack != "" {
		to.Stack = stack
	}
	switch parts := strings.Split(name, "/"); {
	case name == "" && ok && stack != "":
	case name == "" || ok && stack == "":
		return to, cli.Usage("use a name such as ec2/api-0, or STACK:ec2/api-0", "invalid name %q", text)
	case len(parts) == 1:
		to.Name = name
	case len(parts) == 2:
		to.Kind, to.Name = parts[0], parts[1]
	default:
		whole, err := resource.ParseRef(name)
		if err != nil {
			return to, cli.Usage("use a name such as ec2/api-0, or STACK:ec2/api-0", "invalid name %q", text)
		}
		to = whole.In(to.Stack)
	}
	return to, nil
}
