package charts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/manage"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/source/compose"
)

// ImportCommand returns the command `ovi import`.
func ImportCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "import", Category: command.GroupManage,
		Usage: "Turn files of other tools, or what exists, into configurations",
		Subcommands: []*urfave.Command{manage.ImportExistingCommand(p), manage.ImportTerraformCommand(p), {
			Name: "compose", ArgsUsage: "FILE",
			Usage: "Turn a Compose file into a chart",
			Description: "ovi writes the chart to a new folder next to the file. It lists each setting that a " +
				"chart cannot express, with its position. Variables, including the variables in .env, become " +
				"values of the chart.",
			Flags: []urfave.Flag{&urfave.StringFlag{
				Name:  "out",
				Usage: "write the chart to folder `DIR` (default: the project's name, next to the file)",
			}},
			Action: p.Action(importCompose),
		}},
	}
}

// composeOptions are the options of `ovi import compose`.
type composeOptions struct{ out string }

func composeOptionsOf(c *command.Call) composeOptions {
	return composeOptions{out: c.Cmd.String("out")}
}

func importCompose(c *command.Call) error {
	o := composeOptionsOf(c)
	if c.Cmd.NArg() != 1 {
		return cli.Usage("name one, for example compose.yaml", "`ovi import compose` needs a Compose file")
	}
	in := compose.Input{Name: c.Arg(0), IsFile: session.IsFile}
	var err error
	if in.Text, err = session.ReadSource(c.Arg(0)); err != nil {
		return err
	}
	abs, err := filepath.Abs(c.Arg(0))
	if err != nil {
		return err
	}
	in.Dir = filepath.Dir(abs)
	if in.Env, err = session.ReadSource(filepath.Join(filepath.Dir(c.Arg(0)), ".env")); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out := o.out
	if out == "" {
		out = filepath.Join(filepath.Dir(c.Arg(0)), compose.Name(in))
	}
	if in.Into, err = filepath.Abs(out); err != nil {
		return err
	}
	got, err := compose.Import(in)
	if err != nil {
		return err
	}
	if err := writeChart(out, got.Files); err != nil {
		return err
	}
	for _, n := range got.Notes {
		d := cli.Diagnostic("not converted: "+n.What, n.Suggestion)
		d.Severity, d.File, d.Line, d.Column = render.Warning, n.At.File, n.At.Line, n.At.Column
		c.Out.Report(d)
	}
	c.Out.Say("Imported %s as chart %s in %s: %s, %d not converted.\nRun `ovi plan %s` to see what it would create.",
		c.Arg(0), got.Name, out, render.Many(len(got.Files), "file"), len(got.Notes), out)
	return nil
}

// writeChart writes the files of a chart to a folder that does not exist yet: a chart that was
// edited is never overwritten.
func writeChart(dir string, files map[string]string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return &cli.Problem{
			Summary: "the folder of the chart exists", File: dir, Err: err,
			Suggestion: "choose another with --out DIR",
		}
	}
	if err := command.WriteFiles(dir, files, 0o600); err != nil {
		return &cli.Problem{
			Summary: "cannot write the chart", File: dir, Err: err,
			Suggestion: "choose another folder with --out DIR",
		}
	}
	return nil
}
