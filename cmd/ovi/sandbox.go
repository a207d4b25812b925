package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/internal/awsfake"
	"github.com/ovi-project/ovi/render"
)

func (p *process) sandboxCommand() *cli.Command {
	return &cli.Command{
		Name: "sandbox", Category: catHelp,
		Usage: "the built-in practice cloud: look at it, break it, serve it",
		Subcommands: []*cli.Command{
			{
				Name: "list", ArgsUsage: "[SOURCE]", Usage: "what there is in it",
				Flags:  []cli.Flag{sourceFlag(), &cli.BoolFlag{Name: "all", Usage: "also what came with the account"}},
				Action: p.action((*call).sandboxList),
			},
			{
				Name: "break", ArgsUsage: "ACTION THING [VALUE]",
				Usage: "change something by hand, behind ovi's back",
				Description: "break stop ec2/web-0              break start ec2/web-0\n" +
					"break tag ec2/web-0 team=other    break untag ec2/web-0 team\n" +
					"break resize ec2/web-0 t3.large   break delete ec2/web-0\n" +
					"break copy rds/db db-restored     (with its tags, as a restore does)\n" +
					"break create ec2 by-hand          (unmanaged)",
				Flags:  []cli.Flag{sourceFlag()},
				Action: p.action((*call).sandboxBreak),
			},
			{
				Name: "requests", ArgsUsage: "[SOURCE]", Usage: "how often it was asked what",
				Flags:  []cli.Flag{sourceFlag(), &cli.BoolFlag{Name: "changes", Usage: "only what changes something"}},
				Action: p.action((*call).sandboxRequests),
			},
			{
				Name: "serve", ArgsUsage: "[SOURCE]", Usage: "let other programs speak to it: aws --endpoint-url http://127.0.0.1:PORT",
				Flags:  []cli.Flag{sourceFlag(), &cli.StringFlag{Name: "listen", Usage: "loopback `ADDRESS`", Value: "127.0.0.1:4599"}},
				Action: p.action((*call).sandboxServe),
			},
			{
				Name: "reset", ArgsUsage: "[SOURCE]", Usage: "empty it; the record stays",
				Flags:  []cli.Flag{sourceFlag()},
				Action: p.action((*call).sandboxReset),
			},
		},
	}
}

// sandboxPath is the file of the practice cloud beside a source, or here.
func (c *call) sandboxPath(args ...string) (string, error) {
	named := append(append([]string{}, args...), c.cli.StringSlice("f")...)
	file := c.sandboxFile(c.dataDir(named))
	return file, os.MkdirAll(filepath.Dir(file), 0o700)
}

// withCloud opens the practice cloud for a command.
func (c *call) withCloud(args []string, do func(*awsfake.Cloud) error) error {
	file, err := c.sandboxPath(args...)
	if err != nil {
		return err
	}
	cloud, err := c.openCloud(file)
	if err != nil {
		return err
	}
	return errors.Join(do(cloud), cloud.Close())
}

func (c *call) sandboxList() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	return c.withCloud(c.cli.Args().Slice(), func(cloud *awsfake.Cloud) error {
		all, err := cloud.Resources()
		if err != nil {
			return err
		}
		t := render.Table{Head: []string{"THING", "ID", "REGION", "STATE", "SIZE", "REF"}, Flexible: 5}
		for _, x := range all {
			if x.Default && !c.cli.Bool("all") {
				continue
			}
			if c.out.machine() {
				if err := c.out.records(render.Info{Type: "sandbox_thing", Data: x}); err != nil {
					return err
				}
			}
			t.Rows = append(t.Rows, []string{x.Kind + "/" + x.Name, x.ID, x.Region, x.State, x.Size, x.Ref})
		}
		if c.out.machine() {
			return nil
		}
		return c.out.table(t, "The practice cloud is empty.")
	})
}

func (c *call) sandboxBreak() error {
	if c.cli.NArg() < 2 {
		return usage("see `ovi sandbox break --help`", "`ovi sandbox break` needs an action and a thing, such as stop ec2/web-0")
	}
	if err := c.atMost(3); err != nil {
		return err
	}
	if !slices.Contains([]string{"stop", "start", "tag", "untag", "resize", "delete", "copy", "create"}, c.arg(0)) {
		return usage("write stop, start, tag, untag, resize, delete, copy or create", "`ovi sandbox break` cannot %q", c.arg(0))
	}
	b := awsfake.Breakage{Do: c.arg(0), Resource: c.arg(1), Value: c.arg(2), Region: c.cli.String("region")}
	switch b.Do {
	case "create":
		b.Kind, b.Resource = c.arg(1), ""
	case "tag":
		b.Key, b.Value, _ = strings.Cut(c.arg(2), "=")
	case "untag":
		b.Key, b.Value = c.arg(2), ""
	}
	if kind, name, ok := strings.Cut(b.Resource, "/"); ok && !strings.Contains(name, "/") {
		b.Kind, b.Resource = kind, name
	}
	return c.withCloud(nil, func(cloud *awsfake.Cloud) error {
		said, err := cloud.Break(b)
		if err != nil {
			return &problem{code: exitError, summary: err.Error(), next: "see what there is: ovi sandbox list"}
		}
		if c.out.machine() {
			return c.out.records(render.Info{Type: "sandbox_broke", Data: said})
		}
		c.out.say("By hand: %s.", said)
		return nil
	})
}

func (c *call) sandboxRequests() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	file, err := c.sandboxPath(c.cli.Args().Slice()...)
	if err != nil {
		return err
	}
	all, err := awsfake.ReadRequests(file)
	if err != nil {
		return err
	}
	counts := awsfake.Count(all)
	if c.cli.Bool("changes") {
		counts = awsfake.Changes(all)
	}
	if c.out.machine() {
		return c.out.records(render.Info{Type: "sandbox_requests", Data: counts})
	}
	t := render.Table{Head: []string{"REQUEST", "COUNT"}}
	for _, name := range sortedKeys(counts) {
		t.Rows = append(t.Rows, []string{name, count(counts[name])})
	}
	return c.out.table(t, "It was asked nothing.")
}

func (c *call) sandboxReset() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	file, err := c.sandboxPath(c.cli.Args().Slice()...)
	if err != nil {
		return err
	}
	if err := awsfake.Reset(file); err != nil {
		return err
	}
	c.out.say("The practice cloud is empty. What ovi remembers of it is still on record.")
	return nil
}
