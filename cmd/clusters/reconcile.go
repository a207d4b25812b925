package clusters

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sqlite"
)

// reconciliation is one run of `ovi cluster reconcile`.
type reconciliation struct {
	*command.Call
	given  reconcileOptions
	path   string
	table  *sqlite.Table
	line   *session.Session
	intent resource.Intent
	rows   []sqlite.Row

	report   *reconcile.TableReport // from the first plan to the end; nil in a run that changes nothing
	excludes []string               // refs that the run does not touch
	most     rules.Budget           // how much it may prune
	excess   string                 // why it deletes no cluster that no row declares any more; "" means that it may
	summary  []clusterRow           // of what was planned and done
	verified []clusterRow
	pruned   []sqlite.Row
	executed int
	reread   bool // it planned again, with what could not be read before
	codes    []int
}

// reconcileOnce plans, acts, verifies and prunes. It returns the exit code; an error means that the run
// could not start.
func reconcileOnce(c *command.Call, path string, given reconcileOptions) (r *reconciliation, err error) {
	r = &reconciliation{Call: c, given: given, path: path, table: session.ClusterTable(c, path, c.Checks())}
	dir := session.DataDir(c, []string{path})
	intents, problems, err := session.AcceptParts(c, []string{path}, dir)
	if err != nil {
		return r, err
	}
	r.invalid(problems)
	if r.rows, err = r.table.Rows(c); err != nil {
		return r, err
	}
	if err := required(given.require, r.rows); err != nil {
		return r, err
	}
	if r.most, err = r.maxPrune(); err != nil {
		return r, err
	}
	if r.line, err = session.OpenWith(c, dir, []string{path}, intents); err != nil {
		return r, err
	}
	return r, session.Closing(c, r.line, r.run())
}

// invalid reports the rows that are wrong. The others are reconciled.
func (r *reconciliation) invalid(problems source.Problems) {
	if len(problems) > 0 {
		r.Out.Report(cli.Diagnose(problems)...)
		r.codes = append(r.codes, clusterFailed)
	}
}

func (r *reconciliation) run() error {
	defer func() { r.report.Close() }()
	err := r.act()
	if err == nil && r.given.dryRun {
		r.preview()
		return nil
	}
	if err == nil {
		err = r.verify()
	}
	if err == nil && r.given.prune.clusters {
		err = r.prune()
	}
	return err
}

// code is the exit code of the run: what failed, then what could not be read, then what is missing or
// differs, then what was refused.
func (r *reconciliation) code() int {
	for _, code := range []int{
		clusterFailed, clusterUnobserved, clusterMissing, clusterMismatch, clusterRefused,
		clusterChanges,
	} {
		if slices.Contains(r.codes, code) {
			return code
		}
	}
	return clusterDone
}

// plan plans what the run may do: it touches no cluster that no row declares, unless it prunes, and
// creates none whose row it deletes.
func (r *reconciliation) plan() (*engine.Planned, *report.View, error) {
	options := reconcile.PlanOptions(r.Call, r.line, event.ForApply, r.given.deciding)
	if r.given.dryRun {
		options.Mode = event.ForPlan
	}
	options.Excludes = r.excludes
	p, err := r.line.Engine.Plan(r, r.line.Intents, options)
	if err != nil {
		return nil, nil, err
	}
	r.intent = p.Intents[0]
	view, err := report.Observed(r, r.line.Ledger.Reader(), r.intent)
	if err != nil {
		return nil, nil, err
	}
	r.limit(p)
	var more []string // the refs that the plan acts on and the run may not
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if !d.Action.Executes() {
			continue
		}
		if r.why(d.Ref, d.Action, view) != "" {
			more = append(more, d.Ref.Short())
		}
	}
	if len(more) == 0 {
		return p, view, nil
	}
	r.excludes = append(r.excludes, more...)
	options.Excludes = r.excludes
	p, err = r.line.Engine.Plan(r, r.line.Intents, options)
	return p, view, err
}

// why is the reason for which a run does not do an action; "" if it may.
func (r *reconciliation) why(ref resource.Ref, a decider.Action, view *report.View) string {
	name := ref.Name
	gone := a == decider.Delete && !r.declares(name)
	switch {
	case !sqlite.OfRow(ref.Kind):
	case gone && !r.given.prune.clusters:
		return "no row declares it any more; --prune-missing deletes it"
	case gone && r.excess != "":
		return r.excess
	case ref.Kind != sqlite.Kind:
	case a == decider.Create && r.prunes(name, view):
		return "its row is deleted instead"
	}
	return ""
}

// act applies the plan, and again what failed.
func (r *reconciliation) act() error {
	attempts := max(1, r.given.attempts)
	for n := 1; ; n++ {
		p, view, err := r.plan()
		if err != nil {
			return err
		}
		r.planned(clusterRows(r.rows, view, p), view)
		if !r.given.dryRun {
			r.reports(p)
		}
		if r.given.dryRun || reconcile.Executing(p.Plan) == 0 {
			return nil
		}
		again, err := r.apply(p)
		if err == nil && !again && !r.reread && unread(p.Plan) {
			r.reread = true // what is inside a cluster can be read once that was started or replaced
			n--
			continue
		}
		if err != nil || !again || n == attempts {
			return err
		}
		if err := r.pause(r.given.retryWait); err != nil {
			return err
		}
	}
}

// unread reports whether something configured could not be read.
func unread(p decider.Plan) bool {
	return slices.ContainsFunc(p.Decisions, func(d decider.Decision) bool {
		return d.Difference == comparator.Unreachable && d.Desired != nil
	})
}

// reports reports what a plan observed, and what is done after it: what failed stays in the table while the
// cluster is not as declared.
func (r *reconciliation) reports(p *engine.Planned) {
	if r.report == nil {
		r.report = reconcile.ReportOn(r.Call, r.line, p)
		return
	}
	if !r.report.Observed(p.Intents[0]) {
		r.report = nil
	}
}

// planned notes what a plan says; a later attempt changes what it does again.
func (r *reconciliation) planned(rows []clusterRow, view *report.View) {
	for i := range rows {
		row := &rows[i]
		if row.Result == resultBlocked {
			if why := r.why(row.ref, decider.Action(row.Action), view); why != "" {
				row.say(why, "")
			}
		}
		at := slices.IndexFunc(r.summary, func(x clusterRow) bool { return x.ref == row.ref })
		switch {
		case at < 0:
			r.summary = append(r.summary, *row)
		case row.Action != actionNone && r.summary[at].Result != resultFailed:
			r.summary[at] = *row
		}
	}
}

// apply applies a plan. again reports that an action failed.
func (r *reconciliation) apply(p *engine.Planned) (again bool, err error) {
	result, err := r.line.Engine.Apply(r, p, engine.ApplyOptions{
		Parallelism: r.given.parallelism, Hard: r.HardContext(),
		Approved: &event.Approved{Plan: p.ID, Hash: p.Hash, Who: r.User(), How: "ovi cluster reconcile"},
	})
	if result == nil {
		return false, err
	}
	for _, o := range result.Outcomes {
		ref := session.Bare(o.Ref)
		at := slices.IndexFunc(r.summary, func(x clusterRow) bool { return x.ref == ref })
		if at < 0 {
			continue
		}
		row := &r.summary[at]
		r.executed++
		row.Result = resultOK
		row.say("", "")
		row.tellInvalid()
		if o.Status != engine.Done && o.Status != engine.ByOther && o.Status != engine.Accepted {
			row.Result = resultFailed
			row.say(o.Detail, "")
			if o.Err != nil {
				row.say(o.Err.Error(), "")
			}
			again = true
		}
	}
	return again, err
}

// pause waits between two attempts.
func (r *reconciliation) pause(d time.Duration) error {
	select {
	case <-r.Done():
		return cli.ErrInterrupted
	case <-time.After(d):
		return nil
	}
}
