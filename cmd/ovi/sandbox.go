package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/render"
)

func sandboxCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "sandbox", Category: command.GroupReference,
		Usage: "Inspect, change or serve the built-in sandbox",
		Subcommands: []*urfave.Command{
			{
				Name: "list", ArgsUsage: "[SOURCE]", Usage: "List the sandbox's resources",
				Flags: []urfave.Flag{
					command.RecordFlag(),
					&urfave.BoolFlag{Name: "all", Usage: "include the default resources of the account"},
				},
				Action: p.Action(sandboxList),
			},
			{
				Name: "break", ArgsUsage: "ACTION RESOURCE [VALUE]",
				Usage: "Change a resource outside ovi",
				Description: "break stop ec2/web-0              break start ec2/web-0\n" +
					"break tag ec2/web-0 team=other    break untag ec2/web-0 team\n" +
					"break resize ec2/web-0 t3.large   break delete ec2/web-0\n" +
					"break copy rds/db db-restored     (with its tags, as a restore does)\n" +
					"break mount ebs/data              (its file system is in use)\n" +
					"break fail rds/db storage-full    (or failed)\n" +
					"break fail ec2/web-0 impaired     (its status checks; ok again)\n" +
					"break create ec2 by-hand          (unmanaged)\n" +
					"--region 000000222222/us-east-1 is of another account of the sandbox",
				Flags:  []urfave.Flag{command.RecordFlag()},
				Action: p.Action(sandboxBreak),
			},
			{
				Name: "requests", ArgsUsage: "[SOURCE]", Usage: "Count the sandbox's API requests",
				Flags: []urfave.Flag{
					command.RecordFlag(),
					&urfave.BoolFlag{Name: "changes", Usage: "only requests that change something"},
				},
				Action: p.Action(sandboxRequests),
			},
			{
				Name: "serve", ArgsUsage: "[SOURCE]", Usage: "Serve the sandbox's API to other programs",
				Flags: []urfave.Flag{
					command.RecordFlag(),
					&urfave.StringFlag{Name: "listen", Usage: "listen on the loopback `ADDRESS`", Value: "127.0.0.1:4599"},
				},
				Action: p.Staying(sandboxServe),
			},
			{
				Name: "reset", ArgsUsage: "[SOURCE]", Usage: "Empty the sandbox; the data directory stays",
				Flags:  []urfave.Flag{command.RecordFlag()},
				Action: p.Action(sandboxReset),
			},
		},
	}
}

// listOptions are the options of `ovi sandbox list`.
type listOptions struct{ all bool }

func listOptionsOf(c *command.Call) listOptions { return listOptions{all: c.Cmd.Bool("all")} }

// breakOptions are the options of `ovi sandbox break`.
type breakOptions struct{ region string }

func breakOptionsOf(c *command.Call) breakOptions {
	return breakOptions{region: c.Cmd.String("region")}
}

// requestsOptions are the options of `ovi sandbox requests`.
type requestsOptions struct{ changes bool }

func requestsOptionsOf(c *command.Call) requestsOptions {
	return requestsOptions{changes: c.Cmd.Bool("changes")}
}

// serveOptions are the options of `ovi sandbox serve`.
type serveOptions struct{ listen string }

func serveOptionsOf(c *command.Call) serveOptions {
	return serveOptions{listen: c.Cmd.String("listen")}
}

// sandboxPath is the file of the sandbox beside a source, or here.
func sandboxPath(c *command.Call, args ...string) (string, error) {
	named := append(append([]string{}, args...), command.FilesOf(c)...)
	if err := c.Cmd.Set("sandbox", "true"); err != nil {
		return "", err
	}
	dir := session.DataDir(c, named)
	if err := command.IsSafe(c, dir); err != nil {
		return "", err
	}
	file := sandboxFile(c.Process, filepath.Join(dir, command.SandboxDir))
	return file, errors.Join(command.CreateDir(dir), os.MkdirAll(filepath.Dir(file), 0o700))
}

// withCloud opens the sandbox for a command.
func withCloud(c *command.Call, args []string, do func(*sandbox.Cloud) error) error {
	file, err := sandboxPath(c, args...)
	if err != nil {
		return err
	}
	cloud, err := openCloud(c.Process, file)
	if err != nil {
		return err
	}
	return errors.Join(do(cloud), cloud.Close())
}

func sandboxList(c *command.Call) error {
	o := listOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	return withCloud(c, c.Cmd.Args().Slice(), func(cloud *sandbox.Cloud) error {
		accounts, err := cloud.Accounts()
		if err != nil {
			return err
		}
		var all []sandbox.Resource
		for _, account := range accounts {
			own, err := account.Resources()
			if err != nil {
				return err
			}
			all = append(all, own...)
		}
		t := render.Table{Head: []string{"RESOURCE", "ID", "REGION", "STATE", "SIZE", "REF"}, Flexible: 5}
		for _, x := range all {
			if x.Default && !o.all {
				continue
			}
			if c.Out.Machine() {
				if err := c.Out.Records(render.Info{Type: "sandbox_resource", Data: x}); err != nil {
					return err
				}
			}
			region := x.Region
			if x.Account != sandbox.Account {
				region = strings.TrimSuffix(x.Account+"/"+x.Region, "/")
			}
			t.Rows = append(t.Rows, []string{x.Kind + "/" + x.Name, x.ID, region, x.State, x.Size, x.Ref})
		}
		if c.Out.Machine() {
			return nil
		}
		return c.Out.Table(t, "The sandbox is empty.")
	})
}

func sandboxBreak(c *command.Call) error {
	o := breakOptionsOf(c)
	if c.Cmd.NArg() < 2 {
		return cli.Usage("see `ovi sandbox break --help`",
			"`ovi sandbox break` needs an action and a resource, such as stop ec2/web-0")
	}
	if err := c.AtMost(3); err != nil {
		return err
	}
	if !slices.Contains([]string{"stop", "start", "tag", "untag", "resize", "delete", "copy", "create", "mount", "fail"},
		c.Arg(0)) {
		return cli.Usage("use stop, start, tag, untag, resize, delete, copy, create, mount or fail",
			"`ovi sandbox break` cannot %q", c.Arg(0))
	}
	b := sandbox.Breakage{Do: c.Arg(0), Resource: c.Arg(1), Value: c.Arg(2), Region: o.region}
	switch b.Do {
	case "create":
		b.Kind, b.Resource = c.Arg(1), ""
	case "tag":
		b.Key, b.Value, _ = strings.Cut(c.Arg(2), "=")
	case "untag":
		b.Key, b.Value = c.Arg(2), ""
	}
	if kind, name, ok := strings.Cut(b.Resource, "/"); ok && !strings.Contains(name, "/") {
		b.Kind, b.Resource = kind, name
	}
	return withCloud(c, nil, func(cloud *sandbox.Cloud) error {
		said, err := cloud.Break(b)
		if err != nil {
			return &cli.Problem{Summary: err.Error(), Suggestion: "run `ovi sandbox list`"}
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{Type: "sandbox_broke", Data: said})
		}
		c.Out.Say("Outside ovi: %s.", said)
		return nil
	})
}

func sandboxRequests(c *command.Call) error {
	o := requestsOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	file, err := sandboxPath(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	all, err := sandbox.ReadRequests(file)
	if err != nil {
		return err
	}
	counts := sandbox.Count(all)
	if o.changes {
		counts = sandbox.Changes(all)
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "sandbox_requests", Data: counts})
	}
	t := render.Table{Head: []string{"REQUEST", "COUNT"}}
	for _, name := range command.SortedKeys(counts) {
		t.Rows = append(t.Rows, []string{name, command.Count(counts[name])})
	}
	return c.Out.Table(t, "No requests.")
}

func sandboxReset(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	file, err := sandboxPath(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	if err := sandbox.Reset(file); err != nil {
		return err
	}
	c.Out.Say("The sandbox is empty. Its audit log and store are kept.")
	return nil
}
