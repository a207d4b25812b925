package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// run is the whole program: everything it needs comes in, the exit code comes out.
func run(soft, hard context.Context, args []string, env func(string) (string, bool), stdin io.Reader, stdout, stderr io.Writer) int {
	out := &answer{w: stdout}
	p := &process{hard: hard, env: env, stdin: stdin, stdout: out, answer: out, stderr: stderr, now: time.Now}
	app := p.app()
	tidy, err := tidyArgs(app.Commands, args)
	if err == nil {
		err = app.RunContext(soft, append([]string{"ovi"}, tidy...))
	}
	var told exitStatus
	if err != nil && !errors.As(err, &told) {
		p.misused(args).end(err) // not yet told: the command line itself was wrong
	}
	return codeOf(err)
}

// app is the table of the commands.
func (p *process) app() *cli.App {
	app := &cli.App{
		Name:      "ovi",
		Commands:  p.commands(),
		Reader:    p.stdin,
		Writer:    p.stdout,
		ErrWriter: p.stderr,
		// Errors are told by the actions; nothing but main ends the process.
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return usage("see `ovi help`", "%s", err) },
		DisableSliceFlagSeparator: true,
		HideHelp:                  true,
		HideVersion:               true,
		Action:                    func(*cli.Context) error { return p.helpAbout(nil) },
	}
	for _, c := range app.Commands {
		finish(c)
	}
	return app
}

// finish gives every command what they all have in common.
func finish(c *cli.Command) {
	c.HideHelp = true
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return badOption(c, err) }
	if len(c.Subcommands) == 0 || takesArgs(c) {
		c.Flags = append(c.Flags, globalFlags()...)
	}
	if c.Action == nil {
		c.Action = func(*cli.Context) error {
			return usage("write one of "+strings.Join(namesOfCommands(c.Subcommands), ", ")+": see `ovi "+c.Name+" --help`", "`ovi %s` needs a command", c.Name)
		}
	}
	for _, sub := range c.Subcommands {
		finish(sub)
	}
}

// commands are all commands, by what they are for.
func (p *process) commands() []*cli.Command {
	return []*cli.Command{
		p.planCommand(), p.applyCommand(), p.driftCommand(), p.runCommand(),
		p.statusCommand(), p.inventoryCommand(), p.claimsCommand(), p.diffCommand(),
		p.whyCommand(), p.showCommand(), p.historyCommand(), p.auditCommand(), p.storeCommand(), p.policyCommand(),
		p.adoptCommand(), p.blessCommand(), p.unblessCommand(), p.approveCommand(),
		p.kindsCommand(), p.schemaCommand(),
		p.sandboxCommand(), p.versionCommand(), p.completionCommand(),
		p.helpCommand(),
	}
}

const (
	catLine   = "The line"
	catMemory = "What is on record"
	catActs   = "Acts of people"
	catHelp   = "Help and practice"
	catGlobal = "Everywhere"
)

// globalFlags stand on every command.
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "data-dir", Category: catGlobal, Usage: "where the record is kept: `DIR` (OVI_DATA_DIR; else .ovi beside the source)"},
		&cli.StringFlag{Name: "store", Category: catGlobal, Usage: "the store that hosts share: `etcd://HOST:2379,HOST:2379/PREFIX` (OVI_STORE; else a file in the data directory)"},
		&cli.BoolFlag{Name: "sandbox", Category: catGlobal, Usage: "use the built-in practice cloud, kept in the data directory, instead of AWS"},
		&cli.StringFlag{Name: "profile", Category: catGlobal, Usage: "the AWS credentials `PROFILE`"},
		&cli.StringFlag{Name: "region", Category: catGlobal, Usage: "the `REGION` where neither a thing nor its file names one"},
		&cli.StringFlag{Name: "output", Category: catGlobal, Usage: "`FORMAT`: table, json (lines) or yaml", Value: asTable},
		&cli.StringFlag{Name: "log-level", Category: catGlobal, Usage: "log to standard error from `LEVEL` on: trace, debug, info, warn, error (OVI_LOG)"},
		&cli.BoolFlag{Name: "no-color", Category: catGlobal, Usage: "no colour on a terminal either (NO_COLOR)"},
		&cli.BoolFlag{Name: "quiet", Category: catGlobal, Usage: "only the answer: no head lines, no progress"},
	}
}

// sourceFlag names sources beside the argument.
func sourceFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "f", Aliases: []string{"file"}, Usage: "a source `FILE` or folder; may be repeated, all are one stack"}
}
