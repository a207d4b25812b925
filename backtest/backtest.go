package backtest

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// Backtest tries policies on what was recorded: what they would have said of each plan, beside
// what the policies in force said then.
//
// A rule sees what it would have seen: the decisions, the wishes and the time of the plan as
// they stand in its record, the things as the looks before it recorded them, and the history
// and approvals that the log held by then. Where that cannot be put together again (the log
// before was trimmed, or written by a version that did not record wishes) the plan is counted
// as not judged, never guessed. Two things are as the log has them, and may have been fewer
// when the plan was made: the history of a thing whose old revisions the store had forgotten
// by then; and in a store that several hosts share, one log has only its own instance's: read
// the logs of all of them (ledger.Logs).
type Backtest struct {
	Rules resource.Rules // under trial, for every stack
	// Instead puts them in the place of all windows, rules and approvals in force. Else they
	// stand in the place of the rules of the same names, and of windows, approvals and
	// max_destroy if they say any; the rest stays as it is on record.
	Instead bool
	Since   time.Time // judge only plans from then on; what was before is still read
	Kinds   decider.Kinds
}

// Says is what the policies together say of a decision.
type Says string

// What they can say. The first that applies stands for all.
const (
	Denies   Says = "denied"
	Asks     Says = "needs_approval"
	Defers   Says = "deferred"
	LetsPass Says = "passes"
)

// PolicyResult is what the policies said of a decision, and which of them.
type PolicyResult struct {
	Says   Says
	Policy string
	Reason string
	Until  time.Time
}

// Tried is a decision with both judgements. Plans that decided and judged the same in a row
// are one.
type Tried struct {
	First, Last time.Time
	Times       int
	Plan        string // the first one
	Ref         resource.Ref
	Stack       string
	Proposed    decider.Action
	Done        bool // it was begun in one of the plans
	Was, Would  PolicyResult
	Warnings    []decider.Warning
}

// Flips says that the policies would have judged otherwise.
func (t Tried) Flips() bool { return t.Was.Says != t.Would.Says }

// BacktestResult is what came of a trial.
type BacktestResult struct {
	// Tried are the decisions that flip, and those on which the policies under trial have
	// something to say; oldest first.
	Tried     []Tried
	Plans     int // judged
	Decisions int // judged: those that would do something
	Unjudged  int // plans that could not be put together again
	From, To  time.Time
}

// Run reads a log from its beginning. An error is one of the log, or source.Problems in the
// rules.
func (t Backtest) Run(records iter.Seq2[event.Record, error]) (BacktestResult, error) {
	guards, err := engine.GlobalGuards(t.Rules)
	if err != nil {
		return BacktestResult{}, err
	}
	run := backtestRun{Backtest: t, guards: guards, past: newLogState(), rows: map[rowKey]int{}, begun: map[string][]int{}}
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

// backtestRun is a trial under way.
type backtestRun struct {
	Backtest
	guards []decider.Policy
	past   *logState
	out    BacktestResult
	rows   map[rowKey]int   // into out.Tried
	begun  map[string][]int // rows by plan and ref, to be told what was done
}

// rowKey is what makes two decisions of different plans one row.
type rowKey struct {
	ref                    resource.Ref
	proposed               decider.Action
	was, by, would, wouldB string
}

func (t *backtestRun) record(r event.Record) error {
	if e, ok := r.Event.(event.Planned); ok {
		return t.planned(r, e)
	}
	if e, ok := r.Event.(event.Started); ok {
		for _, i := range t.begun[e.Plan+" "+e.Ref.String()] {
			t.out.Tried[i].Done = true
		}
	}
	return t.past.apply(r)
}

func (t *backtestRun) planned(r event.Record, e event.Planned) error {
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
	if now.IsZero() {
		now = r.At
	}
	facts := t.past.facts(r, e, now)
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

// compare puts what was said beside what would have been.
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
			First: now, Last: now, Times: 1, Plan: plan, Ref: d.Ref, Stack: d.Stack, Proposed: d.Proposed,
			Was: was[d.Ref], Would: judge(d.Blockers), Warnings: d.Warnings,
		}
		if row.Flips() || len(row.Warnings) > 0 || slices.ContainsFunc(d.Blockers, t.spoken) {
			t.add(row)
		}
	}
}

func (t *backtestRun) add(row Tried) {
	key := rowKey{row.Ref, row.Proposed, string(row.Was.Says), row.Was.Policy, string(row.Would.Says), row.Would.Policy}
	i, ok := t.rows[key]
	if ok {
		t.out.Tried[i].Last = row.Last
		t.out.Tried[i].Times++
	} else {
		i = len(t.out.Tried)
		t.rows[key] = i
		t.out.Tried = append(t.out.Tried, row)
	}
	at := row.Plan + " " + row.Ref.String()
	t.begun[at] = append(t.begun[at], i)
}

// judge reads vetoes: the hardest no first.
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

func rank(s Says) int { return slices.Index([]Says{Denies, Asks, Defers, LetsPass}, s) }
