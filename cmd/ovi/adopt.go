package main

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func adoptCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "adopt", Category: groupManage, ArgsUsage: "REF [SOURCE] | SOURCE --match PATTERN | SOURCE --ids FILE | SOURCE --existing | SOURCE --marked",
		Usage: "Manage an existing resource",
		Description: "REF is its name in the configuration; --id is what the provider calls it. The resource is\n" +
			"tagged and not changed otherwise; the next plan shows the differences. --marked adopts every\n" +
			"resource with the tags of this stack that is not recorded, such as after a lost data directory.\n" +
			"--existing adopts everything that exists under a configured name and is unmanaged, such as clusters\n" +
			"that were made by hand. --ids adopts what a file lists, as `ovi import` writes it. --match adopts what\n" +
			"`ovi inventory` lists with the same patterns, each resource under the configured name that users call it\n" +
			"by. What is to be adopted is listed first, and confirmed once.\n" + matchWords,
		Flags: append([]urfave.Flag{
			sourceFlag(), signFlag(), reasonFlag(), lockFlag(),
			&urfave.StringFlag{Name: "id", Usage: "adopt the resource with `ID` (default: the one with this name)"},
			&urfave.BoolFlag{Name: "force", Usage: "adopt a resource that another system manages"},
			&urfave.BoolFlag{Name: "marked", Usage: "adopt every resource with the tags of the stack, after confirmation"},
			&urfave.BoolFlag{Name: "existing", Usage: "adopt what exists under the source's names and is unmanaged, after confirmation"},
			matchFlag("adopt every unmanaged resource that matches `PATTERN` and has a configured name, after confirmation; repeatable"),
			&urfave.StringFlag{Name: "ids", Usage: "adopt the resources in `FILE`, after confirmation: on each line a name in the configuration and an ID"},
			&urfave.StringSliceFlag{Name: "exclude", Usage: "with --existing, leave `REF` unmanaged, such as cluster/dev; repeatable"},
			&urfave.BoolFlag{Name: "unproven", Usage: "with --marked, include resources whose tags may have been copied"},
		}, chartFlags()...),
		Action: p.action(adopt),
	}
}

func adopt(c *call) error {
	if c.cmd.Bool("unproven") && !c.cmd.Bool("marked") {
		return cli.Usage("add --marked", "--unproven needs --marked")
	}
	if c.cmd.IsSet("exclude") && !c.cmd.Bool("existing") {
		return cli.Usage("add --existing", "--exclude needs --existing")
	}
	if several := adoptsSeveral(c); several != nil {
		chosen := 0
		for _, is := range []bool{c.cmd.IsSet("id"), c.cmd.IsSet("ids"), c.cmd.IsSet("match"), c.cmd.Bool("marked"), c.cmd.Bool("existing")} {
			if is {
				chosen++
			}
		}
		if chosen > 1 {
			return cli.Usage("use one of them", "--id, --ids, --match, --marked and --existing exclude each other")
		}
		if err := c.atMost(1); err != nil {
			return err
		}
		paths, err := c.sources(c.cmd.Args().Slice()...)
		if err != nil {
			return err
		}
		return withLine(c, paths, several)
	}
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
	return withLine(c, paths, func(l *session) error { return adoptIn(c, l) })
}

func adoptIn(c *call, l *session) error {
	ref, err := desired(l.intents, c.arg(0))
	if err != nil {
		return err
	}
	act, err := signedAct(c)
	if err != nil {
		return err
	}
	got, err := l.engine.Adopt(c, l.intents, engine.Adoption{
		OperatorAction: act, Ref: ref, ID: c.cmd.String("id"), Force: c.cmd.Bool("force"),
	})
	if err != nil {
		return unsigned(err)
	}
	scans, err := l.ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := namesIn(scans)
	if c.out.Machine() {
		return c.out.Records(seen{Observed: got, at: c.Now()}.record(names))
	}
	c.out.Say("%s (%s) is now managed by stack %s. Run `ovi plan` to compare it with the configuration.", ref.Short(), got.ID, ref.Stack)
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
	for _, ref := range configured(intents) {
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
	return resource.Ref{}, cli.Usage("use one of "+strings.Join(shortened(found), ", "), "%q matches %d resources", spelling, len(found))
}
