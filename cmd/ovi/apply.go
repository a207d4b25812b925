package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/metrics"
	"github.com/ovi-project/ovi/render"
)

func (p *process) applyCommand() *cli.Command {
	return &cli.Command{
		Name: "apply", Category: catLine, ArgsUsage: "[SOURCE | PLANFILE]",
		Usage: "plan, ask, do it; or do a saved plan if nothing in it changed",
		Flags: append(planFlags(),
			&cli.BoolFlag{Name: "auto-approve", Usage: "do not ask"},
			&cli.IntFlag{Name: "parallelism", Usage: "at most `N` actions at once (the file's options, else 10)"},
			&cli.DurationFlag{Name: "claim-ttl", Usage: "how long a claim outlives an instance that died: `DURATION` (the file's options, else 30s)"},
			&cli.DurationFlag{Name: "lock-timeout", Usage: "wait up to `DURATION` for what somebody else holds", Value: shortWait},
		),
		Action: p.action((*call).apply),
	}
}

func (c *call) apply() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	saved := c.cli.NArg() == 1 && isPlan(c.arg(0))
	if !saved {
		return c.applySource()
	}
	for _, name := range []string{"f", "target", "exclude", "skip-destructive", "max-age"} {
		if c.cli.IsSet(name) {
			return usage("plan again with it: ovi plan --"+name+" … --out FILE", "--%s says what to plan; %s is already a plan", name, c.arg(0))
		}
	}
	return c.applyFile(c.arg(0))
}

// applySource plans, asks and applies.
func (c *call) applySource() error {
	paths, err := c.sources(c.cli.Args().Slice()...)
	if err != nil {
		return err
	}
	if err := c.canAsk(); err != nil {
		return err
	}
	return c.withLine(paths, c.planAndApply)
}

func (c *call) planAndApply(l *session) error {
	planned, err := c.makePlan(l, event.ForApply)
	if err != nil {
		return err
	}
	if err := c.showUnlessQuiet(planned, l.dir, l.ledger, !c.cli.Bool("auto-approve")); err != nil {
		return err
	}
	if executing(planned.Plan) == 0 {
		return c.nothing(planned)
	}
	how := "auto-approve"
	if !c.cli.Bool("auto-approve") {
		how = "typed yes"
		if err := c.ask("Do this? Only yes says yes: "); err != nil {
			return err
		}
	}
	return c.execute(l, planned, how)
}

// showUnlessQuiet shows the plan of an apply, unless nobody is asked and nobody wants to see
// it: then only what cannot be seen or done is told.
func (c *call) showUnlessQuiet(p *engine.Planned, dir string, l *ledger.Ledger, asks bool) error {
	counts := p.Counts
	if c.out.quiet && !c.out.machine() && !asks && len(p.Plan.Unreachable)+counts.Unreachable+counts.Blocked+counts.Conflict == 0 {
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
	if c.cli.IsSet("sandbox") && c.cli.Bool("sandbox") != head.Sandbox {
		return usage("apply it without --sandbox, or plan again", "%s was not made for the practice cloud", name)
	}
	for flag, value := range map[string]string{"data-dir": head.DataDir, "profile": head.Profile, "region": head.Region} {
		if c.cli.IsSet(flag) || value == "" {
			continue
		}
		if err := c.cli.Set(flag, value); err != nil {
			return err
		}
	}
	for _, path := range head.Policies {
		if !c.takes("policy") || slices.Contains(c.policyPaths(), path) {
			continue
		}
		if err := c.cli.Set("policy", path); err != nil {
			return err
		}
	}
	if head.Sandbox {
		return c.cli.Set("sandbox", "true")
	}
	return nil
}

// nothing ends an apply that has nothing to do, or may do nothing.
func (c *call) nothing(p *engine.Planned) error {
	if c.out.machine() {
		sum := render.ChangeSummary{Type: "change_summary", Operation: "apply", Plan: p.ID, Sandbox: c.cli.Bool("sandbox")}
		sum.Counts = render.Counts(event.Standing(p.Plan))
		if err := c.out.records(sum); err != nil {
			return err
		}
	}
	return status(c.leftOver(p)...)
}

// leftOver is what a plan leaves undone whatever an apply does.
func (c *call) leftOver(p *engine.Planned) []int {
	var codes []int
	if len(p.Plan.Unreachable) > 0 {
		codes = append(codes, exitUnreachable)
	}
	if blocked(p.Plan) > 0 {
		codes = append(codes, exitBlocked)
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
	ctx, heedless := hangup(c.Context)
	defer heedless()
	c.Context = ctx
	c.out.share()
	counters := metrics.New()
	var show sink = render.NewLines(c.out.enc, namesOf(p))
	if !c.out.machine() {
		style := c.out.style
		style.Live, style.Quiet = style.Live && !c.out.quiet, c.out.quiet
		c.out.say("")
		progress := render.NewProgress(c.out.w, style, namesOf(p), toDo(p.Plan)...)
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
		Parallelism: c.cli.Int("parallelism"), Hard: c.hard,
		Approved: &event.Approved{Plan: p.ID, Hash: p.Hash, Who: c.user(), How: how},
	})
	stop()
	if bad := show.Close(); !errors.Is(bad, c.answer.failure()) {
		err = errors.Join(err, bad) // what could not be written is told at the end
	}
	c.log.Info("applied", counters.Pairs()...)
	if err != nil {
		c.out.tell(diagnose(err)...)
	}
	return c.sumUp(p, result, codeOf(err))
}

// sumUp says what came of it, and turns it into an exit code.
func (c *call) sumUp(p *engine.Planned, r *engine.Result, stopped int) error {
	counts := render.Counts(r.Counts)
	if c.out.machine() {
		err := c.out.records(render.ChangeSummary{
			Type: "change_summary", Operation: "apply", Counts: counts, Plan: p.ID, Seconds: r.Took.Seconds(), Sandbox: c.cli.Bool("sandbox"),
		})
		if err != nil {
			return err
		}
	} else {
		c.out.say("")
		_ = counts.Write(c.out.w, c.out.style)
		c.explain(r)
	}
	if c.Err() != nil {
		stopped = exitInterrupted
	}
	return status(append(append(c.leftOver(p), resultCodes(r)...), stopped)...)
}

// resultCodes is what the outcomes mean for the exit code.
func resultCodes(r *engine.Result) []int {
	var codes []int
	for _, o := range r.Outcomes {
		switch o.Status {
		case engine.Failed, engine.Uncertain, engine.Stale, engine.WaitingFor:
			codes = append(codes, exitFailed)
		case engine.Claimed:
			codes = append(codes, exitHeld)
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
		c.out.warn("interrupted: "+flight+", the rest was not begun", "run the same command again: it goes on where this one stopped")
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
			c.out.warn(summary, "")
		} else {
			c.out.warn(summary, next)
		}
	}
}
