package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/resource"
)

// ApplyCommand returns the command `ovi apply`.
func ApplyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "apply", Category: command.GroupReconcile, ArgsUsage: "[SOURCE | PLANFILE]",
		Usage:  "Apply a configuration or plan",
		Flags:  append(decidingFlags(), executingFlags()...),
		Action: p.Action(apply),
	}
}

// executingFlags are of the commands that execute a plan.
func executingFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "auto-approve", Usage: "do not ask for confirmation"},
		&urfave.IntFlag{Name: "parallelism", Usage: "run at most `N` actions at once (default: the file's options, or 10)"},
		session.ClaimFlag("the file's"),
		command.LockFlag(),
		command.TimeoutFlag(),
	}
}

// executingOptions are the values of executingFlags that this package uses.
type executingOptions struct {
	autoApprove bool
	parallelism int
}

func executingOptionsOf(c *command.Call) executingOptions {
	return executingOptions{autoApprove: c.Cmd.Bool("auto-approve"), parallelism: c.Cmd.Int("parallelism")}
}

// applyOptions are the options of `ovi apply`.
type applyOptions struct {
	DecidingOptions
	executingOptions
	planned string // the first given option that changes the plan
}

func applyOptionsOf(c *command.Call) applyOptions {
	return applyOptions{
		DecidingOptions: decidingOptionsOf(c), executingOptions: executingOptionsOf(c),
		planned: c.Given("f", "target", "exclude", "skip-destructive", "allow-replace", "replace", "set-unverified",
			"prune-data", "max-age"),
	}
}

func apply(c *command.Call) error {
	o := applyOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	defer c.Bounded()()
	fromFile := c.Cmd.NArg() == 1 && session.IsPlan(c.Arg(0))
	if !fromFile {
		paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
		if err != nil {
			return err
		}
		return session.WithAccepting(c, paths, func(l *session.Session) error { return planAndApply(c, l, o) })
	}
	if o.planned != "" {
		return cli.Usage("plan again with it: ovi plan --"+o.planned+" ... --out FILE",
			"--%s changes what is planned, and %s is a saved plan", o.planned, c.Arg(0))
	}
	// A saved plan is applied, except for resources that have changed since.
	name := c.Arg(0)
	head, saved, err := session.LoadPlan(name)
	if err != nil {
		return err
	}
	if err := session.AsPlanned(c, head, name); err != nil {
		return err
	}
	return session.WithLine(c, head.Sources, func(l *session.Session) error {
		if err := session.AsRecorded(c, l.Ledger, name, head, saved); err != nil {
			return err
		}
		fresh, err := l.Engine.Refresh(c, saved, l.Intents,
			engine.PlanOptions{Rules: l.Rules, Starting: starting(c, event.ForApply)})
		if err != nil {
			return err
		}
		defer reporting(c, l, fresh)()
		if err := showUnlessQuiet(c, fresh, o.view(l), false); err != nil {
			return err
		}
		if err := alreadyDone(c, fresh); err != nil {
			return err
		}
		if Executing(fresh.Plan) == 0 {
			return nothing(c, fresh)
		}
		return execute(c, l, fresh, "plan file", o.parallelism)
	})
}

func planAndApply(c *command.Call, l *session.Session, o applyOptions) error {
	planned, err := makePlan(c, l, event.ForApply, planOptions{DecidingOptions: o.DecidingOptions})
	if err != nil {
		return err
	}
	defer reporting(c, l, planned)()
	if err := showUnlessQuiet(c, planned, o.view(l), !o.autoApprove); err != nil {
		return err
	}
	if Executing(planned.Plan) == 0 {
		return nothing(c, planned)
	}
	how := "auto-approve"
	if !o.autoApprove {
		how = "typed yes"
		if err := c.Out.CanAsk(c.Stdin, "add --auto-approve, or apply a saved plan: ovi plan --out FILE"); err != nil {
			return err
		}
		err = c.Out.Ask(c, c.Stdin, planview.Prompt(planned.Plan, changed(c, planned)))
		if errors.Is(err, cli.ErrCanceled) {
			_, _ = fmt.Fprintln(c.Out.W, "Canceled. Nothing was changed.")
			return cli.Exit(cli.ExitError)
		}
		if err != nil {
			return err
		}
	}
	return execute(c, l, planned, how, o.parallelism)
}

// changed names what an apply changes: an account, or the stack, in an environment.
func changed(c *command.Call, p *engine.Planned) string {
	environment := ""
	if name, by := session.EnvironmentOf(c, p.Intents); name != "" {
		environment = "environment " + name + " (" + by + ") in "
	}
	accounts := accounts(p)
	switch {
	case c.Sandboxed():
		return environment + "the sandbox"
	case len(accounts) > 0:
		return environment + strings.Join(accounts, ", ")
	}
	return environment + "stack " + strings.Join(p.Stacks, ", ")
}

// showUnlessQuiet shows the plan of an apply. With --quiet and no question it shows only what
// is unreachable or blocked.
func showUnlessQuiet(c *command.Call, p *engine.Planned, v PlanView, asks bool) error {
	counts := p.Counts
	if c.Out.Quiet && !c.Out.Machine() && !asks && len(p.Plan.Unreachable)+len(p.Plan.UnreachableKinds)+counts.Unreachable+
		counts.InFlight+counts.Waiting+counts.Blocked+counts.Conflict == 0 {
		return nil
	}
	return ShowPlan(c, p, v)
}

// alreadyDone says which actions of a saved plan nothing is left of.
func alreadyDone(c *command.Call, p *engine.Planned) error {
	if len(p.Already) == 0 {
		return nil
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "already_done", Data: p.Already})
	}
	short := session.NamesOf(p).Shorten(p.Already...)
	names := make([]string, len(p.Already))
	for i, r := range p.Already {
		names[i] = short(r)
	}
	c.Out.Say("Already done since the plan was made: %s.", strings.Join(names, ", "))
	return nil
}

// nothing ends an apply that has nothing to do, or in which everything is blocked.
func nothing(c *command.Call, p *engine.Planned) error {
	if c.Out.Machine() {
		sum := render.ChangeSummary{
			Type: "change_summary", Operation: "apply", Unmanaged: render.UnmanagedIn(p.Plan),
			Plan: p.ID, Sandbox: c.Sandboxed(),
		}
		sum.Counts = render.Counts(event.Standing(p.Plan))
		if err := c.Out.Records(sum, reconciled(c, p, &engine.Result{})); err != nil {
			return err
		}
	}
	return cli.Exit(LeftOver(c, p)...)
}

// LeftOver are the exit codes of what an apply does not do.
func LeftOver(c *command.Call, p *engine.Planned) []int {
	codes := standingCodes(p)
	if render.Count(p.Plan).Blocked > 0 {
		codes = append(codes, cli.ExitBlocked)
	}
	if waitsForOthers(p.Plan) {
		codes = append(codes, cli.ExitClaimed)
	}
	return codes
}

// sink shows the progress of an apply.
type sink interface {
	Record(event.Record)
	Close() error
}

// execute applies a plan, shows the progress, and prints the summary.
func execute(c *command.Call, l *session.Session, p *engine.Planned, how string, parallelism int) error {
	c.Out.Share()
	counters := metrics.New()
	var show sink = render.NewLines(c.Out.Enc, session.NamesOf(p))
	var waits func(resource.Ref, string)
	if !c.Out.Machine() {
		style := c.Out.Style
		style.Live, style.Quiet = style.Live && !c.Out.Quiet, c.Out.Quiet
		c.Out.Say("")
		progress := render.NewProgress(c.Out.W, style, session.NamesOf(p), toDo(p.Plan)...)
		show, waits = progress, progress.Waits
		c.Progress.Store(progress)
		defer c.Progress.Store(nil)
		heard := context.AfterFunc(c, progress.Interrupted)
		defer heard()
	}
	stop := l.Ledger.Listen(func(r event.Record) {
		counters.Record(r)
		show.Record(r)
	})
	result, err := l.Engine.Apply(c, p, engine.ApplyOptions{
		Parallelism: parallelism, Hard: c.HardContext(), Waits: waits,
		Approved: &event.Approved{Plan: p.ID, Hash: p.Hash, Who: c.User(), How: how},
	})
	stop()
	if bad := show.Close(); !errors.Is(bad, c.Answer.Failure()) {
		err = errors.Join(err, bad) // what could not be written is reported at the end
	}
	c.Log.Info("applied", counters.Pairs()...)
	if err != nil {
		c.Out.Report(cli.Diagnose(err)...)
	}
	return sumUp(c, p, result, cli.CodeOf(err))
}
