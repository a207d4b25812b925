package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/metrics"
	"github.com/ovi-project/ovi/render"
)

func (p *process) applyCommand() *urfave.Command {
	return &urfave.Command{
		Name: "apply", Category: groupReconcile, ArgsUsage: "[SOURCE | PLANFILE]",
		Usage: "Apply a configuration or plan",
		Flags: append(planFlags(),
			&urfave.BoolFlag{Name: "auto-approve", Usage: "do not ask for confirmation"},
			&urfave.IntFlag{Name: "parallelism", Usage: "run at most `N` actions at once (default: the file's options, or 10)"},
			&urfave.DurationFlag{Name: "claim-ttl", Usage: "expire a claim `DURATION` after its owner stops (default: the file's options, or 30s)"},
			&urfave.DurationFlag{Name: "lock-timeout", Usage: "wait up to `DURATION` for resources claimed by others", Value: shortWait},
		),
		Action: p.action((*call).apply),
	}
}

func (c *call) apply() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	saved := c.cmd.NArg() == 1 && isPlan(c.arg(0))
	if !saved {
		return c.applySource()
	}
	for _, name := range []string{"f", "target", "exclude", "skip-destructive", "max-age"} {
		if c.cmd.IsSet(name) {
			return cli.Usage("plan again with it: ovi plan --"+name+" … --out FILE", "--%s says what to plan; %s is already a plan", name, c.arg(0))
		}
	}
	return c.applyFile(c.arg(0))
}

// applySource plans, asks and applies.
func (c *call) applySource() error {
	paths, err := c.sources(c.cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	if !c.cmd.Bool("auto-approve") {
		if err := c.out.CanAsk(c.Stdin, "add --auto-approve, or apply a saved plan: ovi plan --out FILE"); err != nil {
			return err
		}
	}
	return c.withLine(paths, c.planAndApply)
}

func (c *call) planAndApply(l *session) error {
	planned, err := c.makePlan(l, event.ForApply)
	if err != nil {
		return err
	}
	if err := c.showUnlessQuiet(planned, l.dir, l.ledger, !c.cmd.Bool("auto-approve")); err != nil {
		return err
	}
	if executing(planned.Plan) == 0 {
		return c.nothing(planned)
	}
	how := "auto-approve"
	if !c.cmd.Bool("auto-approve") {
		how = "typed yes"
		if err := c.out.Ask(c, c.Stdin, "Apply these changes?"); err != nil {
			return err
		}
	}
	return c.execute(l, planned, how)
}

// showUnlessQuiet shows the plan of an apply, unless nobody is asked and nobody wants to see
// it: then only what cannot be seen or done is told.
func (c *call) showUnlessQuiet(p *engine.Planned, dir string, l *ledger.Ledger, asks bool) error {
	counts := p.Counts
	if c.out.Quiet && !c.out.Machine() && !asks && len(p.Plan.Unreachable)+counts.Unreachable+counts.Blocked+counts.Conflict == 0 {
		return nil
	}
	return c.showPlan(p, dir, l)
}

// applyFile does a saved plan, as far as it still holds.
func (c *call) applyFile(name string) error {
	head, saved, err := loadPlan(name)
	if err != nil {
		return err
	}
	if err := c.sameLiveState(head, name); err != nil {
		return err
	}
	return c.withLine(head.Sources, func(l *session) error {
		fresh, err := l.engine.Refresh(c, saved, l.intents, engine.PlanOptions{Mode: event.ForApply, Rules: l.rules})
		if err != nil {
			return err
		}
		if err := c.showUnlessQuiet(fresh, l.dir, l.ledger, false); err != nil {
			return err
		}
		if executing(fresh.Plan) == 0 {
			return c.nothing(fresh)
		}
		return c.execute(l, fresh, "plan file")
	})
}

// sameLiveState takes the plan's world for this call, and refuses another one.
func (c *call) sameLiveState(head planHead, name string) error {
	if c.cmd.IsSet("sandbox") && c.cmd.Bool("sandbox") != head.Sandbox {
		return cli.Usage("apply it without --sandbox, or plan again", "%s was not made for the practice cloud", name)
	}
	for flag, value := range map[string]string{"data-dir": head.DataDir, "profile": head.Profile, "region": head.Region} {
		if c.cmd.IsSet(flag) || value == "" {
			continue
		}
		if err := c.cmd.Set(flag, value); err != nil {
			return err
		}
	}
	for _, path := range head.Policies {
		if !c.takes("policy") || slices.Contains(c.policyPaths(), path) {
			continue
		}
		if err := c.cmd.Set("policy", path); err != nil {
			return err
		}
	}
	if head.Sandbox {
		return c.cmd.Set("sandbox", "true")
	}
	return nil
}

// nothing ends an apply that has nothing to do, or may do nothing.
func (c *call) nothing(p *engine.Planned) error {
	if c.out.Machine() {
		sum := render.ChangeSummary{Type: "change_summary", Operation: "apply", Plan: p.ID, Sandbox: c.cmd.Bool("sandbox")}
		sum.Counts = render.Counts(event.Standing(p.Plan))
		if err := c.out.Records(sum); err != nil {
			return err
		}
	}
	return cli.Exit(c.leftOver(p)...)
}

// leftOver is what a plan leaves undone whatever an apply does.
func (c *call) leftOver(p *engine.Planned) []int {
	var codes []int
	if len(p.Plan.Unreachable) > 0 {
		codes = append(codes, cli.ExitUnreachable)
	}
	if blocked(p.Plan) > 0 {
		codes = append(codes, cli.ExitBlocked)
	}
	return codes
}

// sink shows an apply as it goes.
type sink interface {
	Record(event.Record)
	Close() error
}

// execute applies, shows how it goes, and sums up.
func (c *call) execute(l *session, p *engine.Planned, how string) error {
	ctx, heedless := cli.Hangup(c.Context)
	defer heedless()
	c.Context = ctx
	c.out.Share()
	counters := metrics.New()
	var show sink = render.NewLines(c.out.Enc, namesOf(p))
	if !c.out.Machine() {
		style := c.out.Style
		style.Live, style.Quiet = style.Live && !c.out.Quiet, c.out.Quiet
		c.out.Say("")
		progress := render.NewProgress(c.out.W, style, namesOf(p), toDo(p.Plan)...)
		show = progress
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
		Parallelism: c.cmd.Int("parallelism"), Hard: c.Hard,
		Approved: &event.Approved{Plan: p.ID, Hash: p.Hash, Who: c.User(), How: how},
	})
	stop()
	if bad := show.Close(); !errors.Is(bad, c.Answer.Failure()) {
		err = errors.Join(err, bad) // what could not be written is told at the end
	}
	c.log.Info("applied", counters.Pairs()...)
	if err != nil {
		c.out.Report(cli.Diagnose(err)...)
	}
	return c.sumUp(p, result, cli.CodeOf(err))
}

// sumUp says what came of it, and turns it into an exit code.
func (c *call) sumUp(p *engine.Planned, r *engine.Result, stopped int) error {
	counts := render.Counts(r.Counts)
	if c.out.Machine() {
		err := c.out.Records(render.ChangeSummary{
			Type: "change_summary", Operation: "apply", Counts: counts, Plan: p.ID, Seconds: r.Took.Seconds(), Sandbox: c.cmd.Bool("sandbox"),
		})
		if err != nil {
			return err
		}
	} else {
		c.out.Say("")
		_ = counts.Write(c.out.W, c.out.Style)
		c.explain(r)
	}
	if c.Err() != nil {
		stopped = cli.ExitInterrupted
	}
	return cli.Exit(append(append(c.leftOver(p), resultCodes(r)...), stopped)...)
}

// resultCodes is what the outcomes mean for the exit code.
func resultCodes(r *engine.Result) []int {
	var codes []int
	for _, o := range r.Outcomes {
		switch o.Status {
		case engine.Failed, engine.Uncertain, engine.Stale, engine.WaitingFor:
			codes = append(codes, cli.ExitFailed)
		case engine.Claimed:
			codes = append(codes, cli.ExitClaimed)
		case engine.Done, engine.ByOther, engine.Interrupted:
		}
	}
	return codes
}

// explain tells what to do about what was not done.
func (c *call) explain(r *engine.Result) {
	c.creditOthers(r)
	flight := "what was in flight has ended"
	var doubtful, held, stale []string
	for _, o := range r.Outcomes {
		name := o.Ref.Kind + "/" + o.Ref.Name
		switch o.Status {
		case engine.Uncertain:
			flight = "what was in flight was cut off"
			doubtful = append(doubtful, name+": whether the "+string(o.Action)+" worked is not known")
		case engine.Claimed:
			held = append(held, fmt.Sprintf("%s is held by %s", name, o.ClaimedBy))
		case engine.Stale:
			stale = append(stale, name+" changed since the plan was made: "+o.Detail)
		case engine.Done, engine.ByOther, engine.Failed, engine.WaitingFor, engine.Interrupted:
		}
	}
	c.warnOf(doubtful, "run `ovi plan`: looking tells")
	c.warnOf(held, "see `ovi claims`; wait longer with --lock-timeout, or run this again later")
	c.warnOf(stale, "plan again")
	if c.Err() != nil {
		c.out.Warn("interrupted: "+flight+", the rest was not begun", "run the same command again: it goes on where this one stopped")
	}
}

// maxWarned is how many of one kind are named.
const maxWarned = 5

// warnOf tells of several things with the same way out, which is said once.
func (c *call) warnOf(what []string, next string) {
	if n := len(what) - maxWarned; n > 1 {
		what = append(what[:maxWarned:maxWarned], fmt.Sprintf("and %d more like these", n))
	}
	for i, summary := range what {
		if i < len(what)-1 {
			c.out.Warn(summary, "")
		} else {
			c.out.Warn(summary, next)
		}
	}
}
