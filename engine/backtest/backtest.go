package backtest

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// Backtest evaluates rules on the audit log: for each recorded plan, it compares their decisions with the
// decisions of the policies of that time.
//
// A rule gets what it would have got then: the recorded decisions, configurations and time of the
// plan, the resources as last observed before it, and the history and approvals recorded by then.
// If that cannot be reconstructed, because an earlier part of the log was trimmed, the plan counts
// as not evaluated. Two inputs may be larger than they were: the history of a resource whose old
// revisions the store had compacted by then, and, in a shared store, the records of other
// instances; one log holds only its own, so pass the merged logs of all of them.
type Backtest struct {
	Rules rules.Rules // to evaluate, for every stack
	// Instead: the rules replace all recorded windows, rules and approvals. Otherwise they
	// replace rules of the same names, and windows, approvals and max_destroy if they set any;
	// other recorded Blockers are kept.
	Instead bool
	Since   time.Time // evaluate only plans from then on; earlier records are still read
	Kinds   decider.Kinds
}

// Says is the decision of all policies together.
type Says string

// The decisions of policies. The first that applies counts.
const (
	Denies   Says = "denied"
	Asks     Says = "needs_approval"
	Defers   Says = "deferred"
	LetsPass Says = "passes"
)

// PolicyResult holds the decision of the policies, and the name of the one that made it.
type PolicyResult struct {
	Says   Says
	Policy string
	Reason string
	Until  time.Time
}

// Tried is a decision with both results. Plans with the same decision and results are one row.
type Tried struct {
	First, Last time.Time
	Times       int
	Plan        string // the first plan
	Ref         resource.Ref
	Proposed    decider.Action
	Done        bool // it was started in one of the plans
	Was, Would  PolicyResult
	Warnings    []decider.Warning
}

// Flips reports whether the result would have been different.
func (t Tried) Flips() bool { return t.Was.Says != t.Would.Says }

// Result is the result of a Backtest.
type Result struct {
	// Tried are the decisions whose result flips, and those that the evaluated rules block or
	// warn about; oldest first.
	Tried     []Tried
	Plans     int // evaluated
	Decisions int // evaluated decisions that execute
	Unjudged  int // plans that could not be reconstructed
	From, To  time.Time
}

// Run reads a log from its start. An error is one of the log, or source.Problems of the rules. The
// result up to an error is returned with it. The records must be in the order of the log.
func (t Backtest) Run(records iter.Seq2[event.Record, error]) (Result, error) {
	guards, err := engine.GlobalGuards(t.Rules)
	if err != nil {
		return Result{}, err
	}
	run := backtestRun{
		Backtest: t, guards: guards, past: newLogState(), rows: map[rowKey]int{}, rowsOf: map[string][]int{},
	}
	for r, err := range records {
		if err != nil {
			return run.out, err
		}
		if err := run.record(r); err != nil {
			return run.out, err
		}
	}
	return run.out, nil
}

// backtestRun is a Backtest in progress.
type backtestRun struct {
	Backtest
	guards []decider.Policy
	past   *logState
	out    Result
	rows   map[rowKey]int   // into out.Tried
	rowsOf map[string][]int // rows by plan and ref, to set Done
}

// rowKey identifies a row across plans.
type rowKey struct {
	ref                    resource.Ref
	proposed               decider.Action
	was, by, would, wouldB string
}

// record applies a record. A plan is evaluated in the state that the records before it left.
func (t *backtestRun) record(r event.Record) error {
	if e, ok := r.Event.(event.Planned); ok {
		return t.planned(r, e)
	}
	if e, ok := r.Event.(event.Started); ok {
		for _, i := range t.rowsOf[e.Plan+" "+e.Ref.String()] {
			t.out.Tried[i].Done = true
		}
	}
	return t.past.apply(r)
}

// If the reconstructed proposals have another digest than the recorded plan, something about it is
// not known, and it is not judged.
func (t *backtestRun) planned(r event.Record, e event.Planned) error {
	// A plan that is not evaluated is noted too, because a later one may only refer to its
	// decisions.
	listed, known := t.past.decisions(e)
	if e.Mode == event.ForDrift || r.At.Before(t.Since) {
		return nil
	}
	then, whole := t.past.plan(e, listed)
	if !known || !whole {
		t.out.Unjudged++
		return nil
	}
	now := e.At
	// A plan without a time of its own was made at the time of its record.
	if now.IsZero() {
		now = r.At
	}
	facts := t.past.facts(r, e, now)
	facts.Pins, facts.StackPins = e.Lookups, e.StackOutputs
	judged, err := decider.Decide(then, t.Kinds, facts, append([]decider.Policy{t.kept(listed)}, t.guards...)...)
	if err != nil {
		return fmt.Errorf("plan %s, record %d: %w", e.Plan, r.Seq, err)
	}
	if e.Digest != "" && judged.Digest() != e.Digest {
		t.out.Unjudged++
		return nil
	}
	t.out.Plans++
	if t.out.From.IsZero() {
		t.out.From = now
	}
	t.out.To = now
	t.compare(e.Plan, now, judged, listed)
	return nil
}

// compare adds a row for each decision whose result flips or that the rules block.
func (t *backtestRun) compare(plan string, now time.Time, judged decider.Plan, listed []event.Decision) {
	was := map[resource.Ref]PolicyResult{}
	for _, d := range listed {
		was[d.Ref] = judge(d.Blockers)
	}
	for i := range judged.Decisions {
		d := &judged.Decisions[i]
		if !d.Proposed.Executes() {
			continue
		}
		t.out.Decisions++
		row := Tried{
			First: now, Last: now, Times: 1, Plan: plan, Ref: d.Ref, Proposed: d.Proposed,
			Was: was[d.Ref], Would: judge(d.Blockers), Warnings: d.Warnings,
		}
		if row.Flips() || len(row.Warnings) > 0 || slices.ContainsFunc(d.Blockers, t.spoken) {
			// A row with the same decision and results is counted.
			key := rowKey{row.Ref, row.Proposed, string(row.Was.Says), row.Was.Policy, string(row.Would.Says), row.Would.Policy}
			n, ok := t.rows[key]
			if ok {
				t.out.Tried[n].Last = row.Last
				t.out.Tried[n].Times++
			} else {
				n = len(t.out.Tried)
				t.rows[key] = n
				t.out.Tried = append(t.out.Tried, row)
			}
			// A later start marks the row as done.
			at := row.Plan + " " + row.Ref.String()
			t.rowsOf[at] = append(t.rowsOf[at], n)
		}
	}
}

// judge returns the result of several Blockers: the strictest counts.
func judge(blockers []decider.Blocker) PolicyResult {
	out := PolicyResult{Says: LetsPass}
	for _, v := range blockers {
		says := Denies
		switch {
		case v.Approvers > 0:
			says = Asks
		case v.Until != nil:
			says = Defers
		}
		if out.Says == LetsPass || rank(says) < rank(out.Says) {
			out = PolicyResult{Says: says, Policy: v.Policy, Reason: v.Reason}
			if v.Until != nil {
				out.Until = *v.Until
			}
		}
	}
	return out
}

// rank returns the position of a result, from the strictest one.
func rank(s Says) int { return slices.Index([]Says{Denies, Asks, Defers, LetsPass}, s) }
