package main

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func forgetCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "forget", Category: groupManage, ArgsUsage: "REF",
		Usage: "Stop managing a resource without deleting it",
		Description: "The resource stays as it is, and ovi never changes it again. Remove it from the configuration\n" +
			"as well, or the next plan reports a conflict. With --id, a resource that has the tags of REF but\n" +
			"is not the recorded one is ignored from now on.",
		Flags: []urfave.Flag{
			recordFlag(), reasonFlag(), lockFlag(),
			&urfave.StringFlag{Name: "id", Usage: "forget the resource with `ID` (default: the recorded one)"},
		},
		Action: p.action(forget),
	}
}

func moveCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "move", Category: groupManage, ArgsUsage: "REF REF",
		Usage: "Rename a resource, or move it to another stack",
		Description: "The second REF is the new name, such as ec2/api-0, or STACK:ec2/api-0 for another stack. The\n" +
			"audit log and the tags use it from then on; the resource is not changed otherwise. Rename it in\n" +
			"the configuration as well: while only the old name is configured, `ovi apply` deletes the resource\n" +
			"and creates another one.",
		Flags:  []urfave.Flag{recordFlag(), reasonFlag(), lockFlag()},
		Action: p.action(move),
	}
}

func forget(c *call) error {
	return withRef(c, func(l *session, ref resource.Ref) error {
		if err := sameCloud(c, ref); err != nil {
			return err
		}
		done, err := l.engine.Forget(c, ref, c.cmd.String("id"), act(c))
		if err != nil {
			return err
		}
		if c.out.Machine() {
			return c.out.Records(render.Info{Type: "forgotten", Data: done})
		}
		switch e := done.(type) {
		case event.Disowned:
			c.out.Say("%s (%s) is no longer managed by ovi. The resource was not changed.", ref.Short(), e.ID)
		case event.Dismissed:
			c.out.Say("%s is ignored for %s from now on. The resource was not changed.", e.ID, ref.Short())
		}
		return nil
	})
}

func move(c *call) error {
	if c.cmd.NArg() != 2 {
		return cli.Usage("use ovi move ec2/web-0 ec2/api-0", "`ovi move` needs two names")
	}
	return withRecord(c, func(l *session) error {
		from, err := ref(c, l.ledger, c.arg(0))
		if err != nil {
			return err
		}
		to, err := renamed(from, c.arg(1))
		if err != nil {
			return err
		}
		if err := sameCloud(c, from); err != nil {
			return err
		}
		if err := l.engine.Move(c, from, to, act(c)); err != nil {
			return err
		}
		if c.out.Machine() {
			return c.out.Records(render.Info{Type: "moved", Data: map[string]string{"from": from.String(), "ref": to.String(), "stack": to.Stack}})
		}
		where := ""
		if to.Stack != from.Stack {
			where = " of stack " + to.Stack
		}
		c.out.Say("%s is now %s%s. Rename it in the configuration as well: until %s is configured, `ovi apply` deletes it.", from.Short(), to.Short(), where, to.Short())
		return nil
	})
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
