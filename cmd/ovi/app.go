package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/charts"
	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/clusters"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/edge"
	"github.com/ovi-project/ovi/cmd/manage"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/record"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/held"
)

// run is the whole program: everything it needs comes in, the exit code comes out.
func run(soft, hard context.Context, args []string, env func(string) (string, bool), stdin io.Reader, stdout,
	stderr io.Writer,
) int {
	out := &cli.Answer{W: stdout}
	p := &command.Process{Table: table, Process: cli.Process{
		Version: version, Hard: hard, Env: env, Stdin: stdin, Stdout: out, Answer: out, Stderr: &cli.Screen{W: stderr},
		Now: time.Now,
	}}
	p.Held = held.Of(environ(env), readText, func() (all []provider.CredentialFile) {
		for _, e := range p.Entries() {
			all = append(all, e.Credentials...)
		}
		return all
	})
	return runLine(soft, p, args)
}

// readText reads a file of credentials.
func readText(name string) ([]byte, error) { return budget.ReadFile(name, budget.Text) }

// environ are the variables of the process, with the values that env gives.
func environ(env func(string) (string, bool)) (out []string) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if value, ok := env(name); ok {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// runLine runs a command line.
func runLine(soft context.Context, p *command.Process, args []string) int {
	app := newApp(p)
	tidy, err := cli.Tidy(app.Commands, args)
	if err == nil {
		app.Commands = calledBy(app.Commands, tidy)
		err = app.RunContext(soft, append([]string{"ovi"}, tidy...))
	}
	var reported cli.ExitStatus
	if err != nil && !errors.As(err, &reported) {
		p.Misused(args).End(err) // not reported yet: the command line itself is wrong
		if clusters.IsCluster(args) {
			return clusters.ClusterUnusable
		}
	}
	return cli.CodeOf(err)
}

// calledBy is the command of a tidy line alone, or all if it names none: urfave prepares the options of all that it is
// given, which takes longer than many a command.
func calledBy(all []*urfave.Command, line []string) []*urfave.Command {
	for _, c := range all {
		if len(line) > 0 && c.HasName(line[0]) {
			return []*urfave.Command{c}
		}
	}
	return all
}

// newApp is the table of the commands.
func newApp(p *command.Process) *urfave.App {
	app := &urfave.App{
		Name:      "ovi",
		Commands:  commands(p),
		Reader:    p.Stdin,
		Writer:    p.Stdout,
		ErrWriter: p.Stderr,
		// Errors are reported by the actions; only main ends the process.
		ExitErrHandler: func(*urfave.Context, error) {},
		OnUsageError: func(_ *urfave.Context, err error,
			_ bool,
		) error {
			return cli.Usage("see `ovi help`", "%s", err)
		},
		DisableSliceFlagSeparator: true,
		HideHelp:                  true,
		HideVersion:               true,
		Action:                    func(*urfave.Context) error { return helpAbout(p, nil) },
	}
	readsNothing := func(c *urfave.Command) bool {
		return slices.Contains([]string{"completion", "version", "help"}, c.Name)
	}
	for _, c := range app.Commands {
		if readsNothing(c) {
			cli.Complete([]*urfave.Command{c}, command.OutputFlags())
		}
	}
	cli.Complete(slices.DeleteFunc(slices.Clone(app.Commands), readsNothing),
		slices.Concat(command.PlaceFlags(), command.OutputFlags(), command.ProviderFlags(p)))
	return app
}

// commands are all commands, in the order of the help page.
func commands(p *command.Process) []*urfave.Command {
	return []*urfave.Command{
		reconcile.PlanCommand(p), reconcile.ValidateCommand(p), reconcile.ConfigCommand(p), reconcile.FetchCommand(p),
		reconcile.ApplyCommand(p), reconcile.DestroyCommand(p),
		charts.InstallCommand(p), charts.UpgradeCommand(p), reconcile.DriftCommand(p), reconcile.RunCommand(p),
		clusters.ClusterCommand(p), edge.Command(p),
		record.StatusCommand(p), record.OutputCommand(p), record.InventoryCommand(p), record.ShowCommand(p),
		record.WhyCommand(p),
		record.ProveCommand(p), record.HistoryCommand(p), record.DiffCommand(p), record.ClaimsCommand(p),
		manage.AdoptCommand(p), manage.ForgetCommand(p), manage.MoveCommand(p), manage.RetryCommand(p),
		manage.BlessCommand(p), manage.UnblessCommand(p), manage.ApproveCommand(p), charts.ImportCommand(p),
		charts.ExportCommand(p),
		manage.PolicyCommand(p), manage.SignerCommand(p), record.AuditCommand(p), record.StoreCommand(p),
		kindsCommand(p), schemaCommand(p), sandboxCommand(p), completionCommand(p), versionCommand(p), helpCommand(p),
	}
}
