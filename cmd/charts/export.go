package charts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// ExportCommand returns the command `ovi export`.
func ExportCommand(p *command.Process) *urfave.Command {
	c := &urfave.Command{
		Name: "export", Category: command.GroupManage,
		Usage: "Turn charts into files of other programs",
	}
	for _, e := range p.Entries() {
		for _, x := range e.Exports {
			c.Subcommands = append(c.Subcommands, exportTo(p, x))
		}
	}
	return c
}

// exportTo is the command of one form.
func exportTo(p *command.Process, x provider.Export) *urfave.Command {
	flags := append([]urfave.Flag{
		command.SourceFlag(),
		&urfave.StringFlag{Name: "out", Usage: "write the files to folder `DIR` (default: the chart's name and the form)"},
	}, session.ChartFlags()...)
	if !x.Managed {
		flags = append(flags, &urfave.BoolFlag{
			Name:  "handover",
			Usage: "stop managing what the files manage, as `ovi forget` does",
		}, command.ReasonFlag(), command.LockFlag())
	}
	return &urfave.Command{
		Name: x.Format, ArgsUsage: "[CHART]", Usage: "Write " + x.Doc,
		Description: "ovi lists each setting that the files cannot express. The folder must not exist, or must be " +
			"empty.",
		Flags:  flags,
		Action: p.Action(func(c *command.Call) error { return export(c, x) }),
	}
}

// exportOptions are the options of `ovi export`. A form without --handover hands nothing over.
type exportOptions struct {
	out      string
	handover bool
}

func exportOptionsOf(c *command.Call) exportOptions {
	return exportOptions{out: c.Cmd.String("out"), handover: c.Cmd.Bool("handover")}
}

// exported is a chart as files of another program.
type exported struct {
	provider.Exported
	dir    string
	intent resource.Intent
}

func export(c *command.Call, x provider.Export) error {
	o := exportOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	intents, err := session.Load(c, paths, session.DataDir(c, paths))
	if err != nil {
		return err
	}
	e := exported{intent: intents[0], dir: o.out}
	names, err := recordedNames(c, session.DataDir(c, paths), e.intent.Stack)
	if err != nil {
		return err
	}
	all := slices.Clone(e.intent.Resources)
	for i := range all {
		all[i] = names.of(all[i])
	}
	if e.Exported = x.Files(e.intent.Stack, all); len(e.Files) == 0 {
		return cli.Usage("export a chart with containers", "%s has nothing for %s", strings.Join(paths, ", "), x.Format)
	}
	if e.dir == "" {
		e.dir = e.intent.Stack + "-" + x.Format
	}
	if err := writeExport(e.dir, e.Files); err != nil {
		return err
	}
	for _, n := range e.Notes {
		d := cli.Diagnostic(n.Ref.Short()+": not in the files: "+n.Text, "")
		d.Severity = render.Warning
		c.Out.Report(d)
	}
	if !x.Managed && !o.handover {
		c.Out.Warn("ovi still manages these resources: what the units create again is a conflict",
			"export with --handover, or stop using the chart on this host")
	}
	given := 0
	if o.handover {
		// The records of the stack are forgotten. A resource that was never applied has nothing to forget.
		l, err := session.OpenWith(c, session.DataDir(c, paths), paths, []resource.Intent{e.intent})
		if err != nil {
			return err
		}
		if err := session.Closing(c, l, forgetAll(c, l, e.intent, &given)); err != nil {
			return err
		}
	}
	files := slices.Sorted(maps.Keys(e.Files))
	if c.Out.Machine() {
		return c.Out.Records(render.Exported{
			Type: "exported",
			Data: render.ExportedFiles{Format: x.Format, Dir: e.dir, Files: files, Notes: len(e.Notes), HandedOver: given},
		})
	}
	c.Out.Say("Wrote %s to %s, with %s.", render.Many(len(files), "file"), e.dir, render.Many(len(e.Notes), "note"))
	if given > 0 {
		c.Out.Say("Handed over %s: ovi no longer manages them. Nothing was changed on the host.",
			render.Many(given, "resource"))
	}
	c.Out.Say("Next: %s.", strings.ReplaceAll(e.Next, "DIR", e.dir))
	return nil
}

// writeExport writes files to a folder without any.
func writeExport(dir string, files map[string]string) error {
	entries, err := os.ReadDir(dir)
	if info, bad := os.Lstat(dir); bad == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
		return &cli.Problem{
			Summary: "the folder has files already", File: dir, Err: err,
			Suggestion: "choose another with --out DIR, or empty it",
		}
	}
	if err := command.WriteFiles(dir, files, 0o644); err != nil {
		return &cli.Problem{
			Summary: "cannot write the files", File: dir, Err: err,
			Suggestion: "choose another folder with --out DIR",
		}
	}
	return nil
}

func forgetAll(c *command.Call, l *session.Session, in resource.Intent, n *int) error {
	read := history.New(l.Ledger.Reader())
	for _, d := range in.Resources {
		ref, err := read.FindRef(c, in.Stack+":"+d.Ref.Short())
		if errors.Is(err, ledger.ErrNotFound) {
			continue
		}
		if err == nil {
			_, err = l.Ledger.Binding(c, ref)
		}
		if errors.Is(err, ledger.ErrNotFound) {
			continue
		}
		if err == nil {
			_, err = l.Engine.Forget(c, ref, "", session.Act(c))
		}
		if err != nil {
			return fmt.Errorf("hand over %s: %w", d.Ref.Short(), err)
		}
		*n++
	}
	return nil
}
