package reconcile

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/resource"
)

// sumUp prints the summary and gives the exit code.
func sumUp(c *command.Call, p *engine.Planned, r *engine.Result, stopped int) error {
	counts := render.Counts(r.Counts)
	if c.Out.Machine() {
		err := c.Out.Records(append(render.OutputChanges(r.Outputs), render.ChangeSummary{
			Type: "change_summary", Operation: "apply", Counts: counts, Unmanaged: render.UnmanagedIn(p.Plan), Plan: p.ID,
			Seconds: r.Took.Seconds(), Sandbox: c.Sandboxed(),
		}, reconciled(c, p, r))...)
		if err != nil {
			return err
		}
	} else {
		if len(r.Outputs) > 0 {
			if len(r.Outcomes) > 0 {
				c.Out.Say("")
			}
			_ = planview.WriteOutputs(c.Out.W, c.Out.Style, r.Outputs)
		}
		c.Out.Say("")
		_ = counts.Write(c.Out.W, c.Out.Style)
		explainResult(c, r)
	}
	if c.Err() != nil {
		stopped = c.Stopped()
	}
	return cli.Exit(append(append(LeftOver(c, p), ResultCodes(r)...), stopped)...)
}

// reconciled is the object that ends an apply for programs.
func reconciled(c *command.Call, p *engine.Planned, r *engine.Result) render.ReconcileResult {
	status := map[resource.Ref]string{}
	var errs []string
	for _, o := range r.Outcomes {
		status[o.Ref] = string(o.Status)
		if o.Err != nil {
			errs = append(errs, o.Ref.Short()+": "+o.Err.Error())
		}
	}
	found := 0
	for _, obs := range p.Observations {
		found += obs.Count
	}
	of := func(d decider.Decision) string { return status[d.Ref] }
	return render.Reconciled(p.Plan, session.NamesOf(p), found, p.At, c.Now().Sub(p.At), of, errs)
}

// ResultCodes are the exit codes of the results.
func ResultCodes(r *engine.Result) []int {
	var codes []int
	for _, o := range r.Outcomes {
		switch o.Status {
		case engine.Failed, engine.Uncertain, engine.Stale, engine.Refused, engine.Unprepared, engine.WaitingFor,
			engine.Unneeded:
			codes = append(codes, cli.ExitFailed)
		case engine.Claimed:
			codes = append(codes, cli.ExitClaimed)
		case engine.Done, engine.Accepted, engine.ByOther, engine.Interrupted, engine.Yielded:
		}
	}
	return codes
}

// explainResult reports what was not done, and what to do about it.
func explainResult(c *command.Call, r *engine.Result) {
	command.CreditOthers(c, r)
	flight := "actions in flight finished"
	var claimed, stale []string
	unknown := 0
	for _, o := range r.Outcomes {
		name := o.Ref.Short()
		switch o.Status {
		case engine.Uncertain:
			flight = "actions in flight were canceled"
			unknown++ // the line of each action names it
		case engine.Claimed:
			if o.ClaimedBy == "" { // lost, and to whom is not known
				claimed = append(claimed, name+": "+o.Detail)
			} else {
				claimed = append(claimed, name+" is claimed by "+o.ClaimedBy)
			}
		case engine.Stale:
			stale = append(stale, name+" changed since the plan was made: "+o.Detail)
		case engine.Done, engine.Accepted, engine.ByOther, engine.Failed, engine.Refused, engine.Unprepared,
			engine.WaitingFor, engine.Unneeded, engine.Interrupted, engine.Yielded:
		}
	}
	if unknown > 0 {
		c.Out.Warn("the result of "+render.Many(unknown, "action")+" is unknown", "run `ovi plan`, which observes it")
	}
	WarnOf(c, claimed, "see `ovi claims`; use a longer --lock-timeout, or run the command again later")
	WarnOf(c, stale, "plan again")
	var outputs []string
	for _, x := range r.Unknown {
		outputs = append(outputs, x.String())
	}
	WarnOf(c, outputs, keepsRecord)
	for _, o := range r.Outages {
		c.Out.Warn(fmt.Sprintf("outage: %s is free since %s (%s) was deleted, and %s, which needs it, is not up",
			decider.HoldText(o.Of), o.Freed.Short(), o.FreedID, o.For.Short()),
			fmt.Sprintf("correct %s and run `ovi apply`, or restore the block of %s", o.For.Short(), o.Freed.Short()))
	}
	left := slices.ContainsFunc(r.Outcomes, func(o engine.Outcome) bool {
		return o.Status == engine.Interrupted || o.Status == engine.WaitingFor || o.Status == engine.Uncertain
	})
	if c.Err() != nil && !left {
		c.Out.Warn("interrupted after all actions had ended", "")
	} else if c.TimedOut() {
		c.Out.Warn("stopped by --timeout: "+flight+", the rest was not started",
			"run the same command again, with a longer --timeout, to continue")
	} else if c.Err() != nil {
		c.Out.Warn("interrupted: "+flight+", the rest was not started", "run the same command again to continue")
	}
}

// maxWarned is how many warnings of one kind are shown.
const maxWarned = 5

// WarnOfExposed shows the evident secrets that the configuration has in plain text.
func WarnOfExposed(c *command.Call) {
	found := c.Exposed.Load().Problems()
	ds := cli.Diagnose(found[:min(len(found), maxWarned)])
	for i := range ds {
		ds[i].Severity = render.Warning
	}
	c.Out.Report(ds...)
	if n := len(found) - maxWarned; n > 0 {
		c.Out.Warn(render.Many(n, "more evident secret")+" in plain text", "correct those above first")
	}
}

// WarnOf shows several warnings with one suggestion.
func WarnOf(c *command.Call, what []string, next string) {
	if n := len(what) - maxWarned; n > 1 {
		what = append(what[:maxWarned:maxWarned], fmt.Sprintf("and %d more like these", n))
	}
	for i, summary := range what {
		if i < len(what)-1 {
			c.Out.Warn(summary, "")
		} else {
			c.Out.Warn(summary, next)
		}
	}
}
