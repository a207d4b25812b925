package manage

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// AdoptCommand returns the command `ovi adopt`.
func AdoptCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "adopt", Category: command.GroupManage,
		ArgsUsage: "REF [SOURCE] | SOURCE --match PATTERN | SOURCE --ids FILE | SOURCE --existing | SOURCE --marked",
		Usage:     "Manage an existing resource",
		Description: "REF is the resource's name in the configuration; --id is its ID at the provider. The resource is\n" +
			"tagged and not changed otherwise; the next plan shows the differences. --marked adopts every\n" +
			"resource with the tags of this stack that is not recorded, such as after a lost data directory.\n" +
			"--existing adopts everything that exists under a configured name and is unmanaged, such as clusters\n" +
			"that were made by hand. --ids adopts the resources that a file lists, such as the file that `ovi\n" +
			"import` writes. --match adopts the unmanaged resources that match PATTERN, each under its configured\n" +
			"name (preview: `ovi inventory --match`). ovi lists the resources, then asks once. A pipeline cannot\n" +
			"answer: with --ids FILE --auto-approve it adopts the resources that a reviewed file lists. With\n" +
			"--marked, it adopts a listed resource only if it has the tags of the stack.\n" + command.MatchWords,
		Flags: append([]urfave.Flag{
			command.SourceFlag(), command.SignFlag(), command.ReasonFlag(), command.LockFlag(),
			&urfave.StringFlag{Name: "id", Usage: "adopt the resource with `ID` (default: the one with this name)"},
			&urfave.BoolFlag{Name: "force", Usage: "adopt a resource that another system manages"},
			&urfave.BoolFlag{Name: "marked", Usage: "adopt every resource with the tags of the stack, after confirmation"},
			&urfave.BoolFlag{Name: "existing", Usage: "adopt every unmanaged resource that exists under one of " +
				"the source's names, after confirmation"},
			command.MatchFlag("adopt every unmanaged resource that matches `PATTERN` and has a configured name, after " +
				"confirmation; repeatable"),
			&urfave.StringFlag{Name: "ids", Usage: "adopt the resources in `FILE`, after confirmation: on each line a name in " +
				"the configuration and an ID"},
			&urfave.StringSliceFlag{
				Name:  "exclude",
				Usage: "with --existing, leave `REF` unmanaged, such as cluster/dev; repeatable",
			},
			&urfave.BoolFlag{Name: "auto-approve", Usage: "with --ids, do not ask for confirmation"},
			&urfave.BoolFlag{Name: "unproven", Usage: "with --marked, include resources whose tags may have been copied"},
		}, session.ChartFlags()...),
		Action: p.Action(adopt),
	}
}

// adoptOptions are the options of `ovi adopt`.
type adoptOptions struct {
	id, ids                                        string
	match, exclude                                 []string
	force, marked, existing, autoApprove, unproven bool
	// These are given, whatever their values are.
	byID, byIDs, byMatch, excludes bool
}

func adoptOptionsOf(c *command.Call) adoptOptions {
	return adoptOptions{
		id: c.Cmd.String("id"), ids: c.Cmd.String("ids"), match: command.MatchOf(c), exclude: c.Cmd.StringSlice("exclude"),
		force: c.Cmd.Bool("force"), marked: c.Cmd.Bool("marked"), existing: c.Cmd.Bool("existing"),
		autoApprove: c.Cmd.Bool("auto-approve"), unproven: c.Cmd.Bool("unproven"), byID: c.Cmd.IsSet("id"),
		byIDs: c.Cmd.IsSet("ids"), byMatch: c.Given("match") != "", excludes: c.Cmd.IsSet("exclude"),
	}
}

func adopt(c *command.Call) error {
	o := adoptOptionsOf(c)
	if o.unproven && !o.marked {
		return cli.Usage("add --marked", "--unproven needs --marked")
	}
	if o.excludes && !o.existing {
		return cli.Usage("add --existing", "--exclude needs --existing")
	}
	if o.autoApprove && !o.byIDs {
		return cli.Usage("list the resources in a file, and add --ids FILE", "--auto-approve needs --ids")
	}
	if several := o.several(c); several != nil {
		chosen := 0
		for _, is := range []bool{o.byID, o.byIDs, o.byMatch, o.marked && !o.autoApprove, o.existing} {
			if is {
				chosen++
			}
		}
		if chosen > 1 {
			return cli.Usage("use one of them", "--id, --ids, --match, --marked and --existing exclude each other")
		}
		if err := c.AtMost(1); err != nil {
			return err
		}
		paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
		if err != nil {
			return err
		}
		return session.WithLine(c, paths, several)
	}
	if c.Arg(0) == "" {
		return cli.Usage("use its name in the configuration, such as ec2/web-0", "`ovi adopt` needs a resource")
	}
	if err := c.AtMost(2); err != nil {
		return err
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()[1:]...)
	if err != nil {
		return err
	}
	return session.WithLine(c, paths, func(l *session.Session) error { return adoptIn(c, l, o) })
}

func adoptIn(c *command.Call, l *session.Session, o adoptOptions) error {
	ref, err := desired(l.Intents, c.Arg(0))
	if err != nil {
		return err
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	got, err := l.Engine.Adopt(c, l.Intents, engine.Adoption{
		OperatorAction: act, Ref: ref, ID: o.id, Force: o.force,
	})
	if err != nil {
		return session.Unsigned(err)
	}
	scans, err := l.Ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := session.NamesIn(scans)
	if c.Out.Machine() {
		return c.Out.Records(command.Seen{Observed: got, At: c.Now()}.Record(names))
	}
	c.Out.Say("%s (%s) is now managed by stack %s. Run `ovi plan` to compare it with the configuration.", ref.Short(),
		got.ID, ref.Stack)
	return nil
}

// stackNames are the stacks of a configuration.
func stackNames(intents []resource.Intent) string {
	text := ""
	for i, in := range intents {
		if i > 0 {
			text += ", "
		}
		text += in.Stack
	}
	return text
}

// desired finds a configured resource by what users call it; a whole ref is the only one.
func desired(intents []resource.Intent, spelling string) (resource.Ref, error) {
	var found []resource.Ref
	var names []string
	for _, ref := range command.Configured(intents) {
		names = append(names, ref.Short())
		if spelling == ref.String() {
			return ref, nil
		}
		if ref.Fits(spelling) {
			found = append(found, ref)
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
	return resource.Ref{}, cli.Usage("use one of "+strings.Join(session.Shortened(found), ", "), "%q matches %d resources",
		spelling, len(found))
}
