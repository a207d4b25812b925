package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/resource"
)

func applyCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "apply", Category: groupReconcile, ArgsUsage: "[SOURCE | PLANFILE]",
		Usage:  "Apply a configuration or plan",
		Flags:  append(decidingFlags(), executingFlags()...),
		Action: p.action(apply),
	}
}

// executingFlags are of the commands that execute a plan.
func executingFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "auto-approve", Usage: "do not ask for confirmation"},
		&urfave.IntFlag{Name: "parallelism", Usage: "run at most `N` actions at once (default: the file's options, or 10)"},
		&urfave.DurationFlag{Name: "claim-ttl", Usage: "expire a claim `DURATION` after its owner stops (default: the file's options, or 30s)"},
		&urfave.DurationFlag{Name: "lock-timeout", Usage: "wait up to `DURATION` for resources claimed by others", Value: shortWait},
		timeoutFlag(),
	}
}

func apply(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	defer c.bounded()()
	saved := c.cmd.NArg() == 1 && isPlan(c.arg(0))
	if !saved {
		return applySource(c)
	}
	for _, name := range []string{"f", "target", "exclude", "skip-destructive", "allow-replace", "replace", "set-unverified", "prune-data", "max-age"} {
		if c.cmd.IsSet(name) {
			return cli.Usage("plan again with it: ovi plan --"+name+" ... --out FILE", "--%s changes what is planned, and %s is a saved plan", name, c.arg(0))
		}
	}
	return applyFile(c, c.arg(0))
}

// applySource plans, asks and applies.
func applySource(c *call) error {
	paths, err := c.sources(c.cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	return withLine(c, paths, func(l *session) error { return planAndApply(c, l) })
}

func planAndApply(c *call, l *session) error {
	planned, err := makePlan(c, l, event.ForApply)
	if err != nil {
		return err
	}
	defer reporting(c, l, planned)()
	if err := showUnlessQuiet(c, planned, l.dir, !c.cmd.Bool("auto-approve")); err != nil {
		return err
	}
	if executing(planned.Plan) == 0 {
		return nothing(c, planned)
	}
	how := "auto-approve"
	if !c.cmd.Bool("auto-approve") {
		how = "typed yes"
		if err := c.out.CanAsk(c.Stdin, "add --auto-approve, or apply a saved plan: ovi plan --out FILE"); err != nil {
			return err
		}
		if err := c.out.Ask(c, c.Stdin, render.Prompt(planned.Plan, changed(c, planned))); err != nil {
			return canceled(c, err)
		}
	}
	return execute(c, l, planned, how)
}

// canceled says that nothing was changed, if that is what the error means.
func canceled(c *call, err error) error {
	if !errors.Is(err, cli.ErrCanceled) {
		return err
	}
	_, _ = fmt.Fprintln(c.out.W, "Canceled. Nothing was changed.")
	return cli.Exit(cli.ExitError)
}

// changed names what an apply changes: an account, or the stack.
func changed(c *call, p *engine.Planned) string {
	accounts := accounts(p)
	switch {
	case c.sandboxed():
		return "the sandbox"
	case len(accounts) > 0:
		return strings.Join(accounts, ", ")
	}
	return "stack " + strings.Join(p.Stacks, ", ")
}

// showUnlessQuiet shows the plan of an apply. With --quiet and no question it shows only what
// is unreachable or blocked.
func showUnlessQuiet(c *call, p *engine.Planned, dir string, asks bool) error {
	counts := p.Counts
	if c.out.Quiet && !c.out.Machine() && !asks && len(p.Plan.Unreachable)+len(p.Plan.UnreachableKinds)+counts.Unreachable+counts.Blocked+counts.Conflict == 0 {
		return nil
	}
	return showPlan(c, p, dir)
}

// applyFile applies a saved plan, except for resources that have changed since.
func applyFile(c *call, name string) error {
	head, saved, err := loadPlan(name)
	if err != nil {
		return err
	}
	if err := asPlanned(c, head, name); err != nil {
		return err
	}
	return withLine(c, head.Sources, func(l *session) error {
		if err := asRecorded(c, l.ledger, name, head, saved); err != nil {
			return err
		}
		fresh, err := l.engine.Refresh(c, saved, l.intents, engine.PlanOptions{Rules: l.rules, Starting: starting(c, event.ForApply)})
		if err != nil {
			return err
		}
		defer reporting(c, l, fresh)()
		if err := showUnlessQuiet(c, fresh, l.dir, false); err != nil {
			return err
		}
		if err := alreadyDone(c, fresh); err != nil {
			return err
		}
		if executing(fresh.Plan) == 0 {
			return nothing(c, fresh)
		}
		return execute(c, l, fresh, "plan file")
	})
}

// alreadyDone says which actions of a saved plan nothing is left of.
func alreadyDone(c *call, p *engine.Planned) error {
	if len(p.Already) == 0 {
		return nil
	}
	if c.out.Machine() {
		return c.out.Records(render.Info{Type: "already_done", Data: p.Already})
	}
	short := namesOf(p).Shorten(p.Already...)
	names := make([]string, len(p.Already))
	for i, r := range p.Already {
		names[i] = short(r)
	}
	c.out.Say("Already done since the plan was made: %s.", strings.Join(names, ", "))
	return nil
}

// nothing ends an apply that has nothing to do, or in which everything is blocked.
func nothing(c *call, p *engine.Planned) error {
	if c.out.Machine() {
		sum := render.ChangeSummary{Type: "change_summary", Operation: "apply", Unmanaged: render.UnmanagedIn(p.Plan), Plan: p.ID, Sandbox: c.sandboxed()}
		sum.Counts = render.Counts(event.Standing(p.Plan))
		if err := c.out.Records(sum, reconciled(c, p, &engine.Result{})); err != nil {
			return err
		}
	}
	return cli.Exit(leftOver(c, p)...)
}

// leftOver are the exit codes of what an apply does not do.
func leftOver(c *call, p *engine.Planned) []int {
	codes := standingCodes(p)
	if blocked(p.Plan) > 0 {
		codes = append(codes, cli.ExitBlocked)
	}
	return codes
}

// sink shows the progress of an apply.
type sink interface {
	Record(event.Record)
	Close() error
}

// execute applies a plan, shows the progress, and prints the summary.
func execute(c *call, l *session, p *engine.Planned, how string) error {
	ctx, heedless := cli.Hangup(c.Context)
	defer heedless()
	c.Context = ctx
	c.out.Share()
	counters := metrics.New()
	var show sink = render.NewLines(c.out.Enc, namesOf(p))
	var waits func(resource.Ref, string)
	if !c.out.Machine() {
		style := c.out.Style
		style.Live, style.Quiet = style.Live && !c.out.Quiet, c.out.Quiet
		c.out.Say("")
		progress := render.NewProgress(c.out.W, style, namesOf(p), toDo(p.Plan)...)
		show, waits = progress, progress.Waits
		c.progress.Store(progress)
		defer c.progress.Store(nil)
		heard := context.AfterFunc(c, progress.Interrupted)
		defer heard()
	}
	stop := l.ledger.Listen(func(r event.Record) {
		counters.Record(r)
		show.Record(r)
	})
	result, err := l.engine.Apply(c, p, engine.ApplyOptions{
		Parallelism: c.cmd.Int("parallelism"), Hard: c.hard(), Waits: waits,
		Approved: &event.Approved{Plan: p.ID, Hash: p.Hash, Who: c.User(), How: how},
	})
	stop()
	if bad := show.Close(); !errors.Is(bad, c.Answer.Failure()) {
		err = errors.Join(err, bad) // what could not be written is reported at the end
	}
	c.log.Info("applied", counters.Pairs()...)
	if err != nil {
		c.out.Report(cli.Diagnose(err)...)
	}
	return sumUp(c, p, result, cli.CodeOf(err))
}
