package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func exportCommand(p *process) *urfave.Command {
	c := &urfave.Command{
		Name: "export", Category: groupManage,
		Usage: "Turn charts into files of other programs",
	}
	for _, e := range p.entries() {
		for _, x := range e.Exports {
			c.Subcommands = append(c.Subcommands, exportTo(p, x))
		}
	}
	return c
}

// exportTo is the command of one form.
func exportTo(p *process, x provider.Export) *urfave.Command {
	flags := append([]urfave.Flag{
		sourceFlag(),
		&urfave.StringFlag{Name: "out", Usage: "write the files to folder `DIR` (default: the chart's name and the form)"},
	}, chartFlags()...)
	if !x.Managed {
		flags = append(flags, &urfave.BoolFlag{Name: "handover", Usage: "stop managing what the files manage, as `ovi forget` does"}, reasonFlag(), lockFlag())
	}
	return &urfave.Command{
		Name: x.Format, ArgsUsage: "[CHART]", Usage: "Write " + x.Doc,
		Description: "What the files cannot say is listed. The folder must not exist, or be empty.",
		Flags:       flags,
		Action:      p.action(func(c *call) error { return export(c, x) }),
	}
}

// exported is a chart as files of another program.
type exported struct {
	provider.Exported
	dir    string
	intent resource.Intent
}

func export(c *call, x provider.Export) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	paths, err := c.sources(c.cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	intents, err := load(c, paths, c.dataDir(paths))
	if err != nil {
		return err
	}
	e := exported{intent: intents[0], dir: c.cmd.String("out")}
	if e.Exported = x.Files(e.intent.Stack, e.intent.Resources); len(e.Files) == 0 {
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
		c.out.Report(d)
	}
	if !x.Managed && !c.cmd.Bool("handover") {
		c.out.Warn("ovi still manages these resources: what the units create again is a conflict", "export with --handover, or stop using the chart on this host")
	}
	given := 0
	if c.cmd.Bool("handover") {
		if given, err = handOver(c, paths, e.intent); err != nil {
			return err
		}
	}
	return tellExport(c, e, x, given)
}

func tellExport(c *call, e exported, x provider.Export, given int) error {
	names := slices.Sorted(maps.Keys(e.Files))
	if c.out.Machine() {
		return c.out.Records(render.Exported{Type: "exported", Data: render.ExportedFiles{Format: x.Format, Dir: e.dir, Files: names, Notes: len(e.Notes), HandedOver: given}})
	}
	c.out.Say("Wrote %s to %s, with %s.", render.Many(len(names), "file"), e.dir, render.Many(len(e.Notes), "note"))
	if given > 0 {
		c.out.Say("Handed over %s: ovi no longer manages them. Nothing was changed on the host.", render.Many(given, "resource"))
	}
	c.out.Say("Next: %s.", strings.ReplaceAll(e.Next, "DIR", e.dir))
	return nil
}

// writeExport writes files to a folder without any.
func writeExport(dir string, files map[string]string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
		return &cli.Problem{Summary: "the folder has files already", File: dir, Err: err, Suggestion: "choose another with --out DIR, or empty it"}
	}
	err = os.MkdirAll(dir, 0o755)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644)
		}
	}
	if err != nil {
		return &cli.Problem{Summary: "cannot write the files", File: dir, Err: cli.Plain(err), Suggestion: "choose another folder with --out DIR"}
	}
	return nil
}

// handOver forgets what is recorded of a stack. What was never applied needs none.
func handOver(c *call, paths []string, in resource.Intent) (n int, err error) {
	l, err := openWith(c, c.dataDir(paths), paths, []resource.Intent{in})
	if err != nil {
		return 0, err
	}
	return n, closing(c, l, forgetAll(c, l, in, &n))
}

func forgetAll(c *call, l *session, in resource.Intent, n *int) error {
	read := history.New(l.ledger.Reader())
	for _, d := range in.Resources {
		ref, err := read.FindRef(c, in.Stack+":"+d.Ref.Short())
		if errors.Is(err, ledger.ErrNotFound) {
			continue
		}
		if err == nil {
			_, err = l.ledger.Binding(c, ref)
		}
		if errors.Is(err, ledger.ErrNotFound) {
			continue
		}
		if err == nil {
			_, err = l.engine.Forget(c, ref, "", act(c))
		}
		if err != nil {
			return fmt.Errorf("hand over %s: %w", d.Ref.Short(), err)
		}
		*n++
	}
	return nil
}
