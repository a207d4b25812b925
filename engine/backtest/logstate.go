package backtest

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// logState is the state after some records of a log: resources as last observed, their history,
// the approvals, and the last listed plan of each stack.
type logState struct {
	resources map[resource.Ref]*resource.Observed
	pasts     map[resource.Ref][]pastAt // oldest first
	approvals map[string][]ledger.Approval
	listings  map[string]listing // by stack
	undo      []change           // the last changes of resources, in case their batch is refused
}

// listing has the decisions of the last plan of a stack whose record lists them.
type listing struct {
	plan      string
	decisions []event.Decision
}

// pastAt is an entry of a history, with the record that it comes from.
type pastAt struct {
	instance string
	seq      wal.Seq
	decider.Past
}

// change has the value of a resource before a record changed it; nil if there was none.
type change struct {
	seq wal.Seq
	ref resource.Ref
	was *resource.Observed
}

func newLogState() *logState {
	return &logState{
		resources: map[resource.Ref]*resource.Observed{}, pasts: map[resource.Ref][]pastAt{},
		approvals: map[string][]ledger.Approval{}, listings: map[string]listing{},
	}
}

// apply applies a record, as the store's projection does.
func (m *logState) apply(r event.Record) error {
	if p, ok := event.PastOf(r); ok {
		ref := r.Event.About()
		m.pasts[ref] = append(m.pasts[ref], pastAt{r.Instance, r.Seq, p})
	}
	switch e := r.Event.(type) {
	case event.Observed:
		m.observed(e)
	case event.Finished:
		switch {
		case e.Outcome != event.Done || e.Step != "": // of a step the observation after it tells
		case e.Action == decider.Delete || e.Phase == event.PhaseDelete:
			m.set(r.Seq, e.Ref, nil)
		case e.Resource != nil:
			m.set(r.Seq, e.Ref, e.Resource)
		}
	case event.ReplaceFinished:
		if e.ID == "" && !e.Reverted {
			m.set(r.Seq, e.Ref, nil)
		}
	case event.Recovered:
		if e.Finding == event.FoundDone && e.Action == decider.Delete {
			m.set(r.Seq, e.Ref, nil)
		}
	case event.Approved:
		if e.Digest != "" {
			m.approve(ledger.ApprovalOf(rows.ActOf(r, e)))
		}
	case event.Started:
		m.use(e)
	case event.Refused:
		m.refused(e)
	case event.Baseline: // what a trimmed log keeps of the records before
		resources, approvals, err := history.BaselineState(e)
		maps.Copy(m.resources, resources)
		for _, c := range approvals {
			m.approve(c)
		}
		return err
	}
	return nil
}

func (m *logState) observed(e event.Observed) {
	m.undo = m.undo[:0] // only the record right after a batch can refuse it
	// Such an observation changes no resource in the store either.
	if !e.Complete {
		return
	}
	for i := range e.Changed {
		m.resources[e.Changed[i].Ref] = &e.Changed[i]
	}
	for i := range e.Displaced {
		m.resources[e.Displaced[i].As] = &e.Displaced[i].Resource
	}
	for _, ref := range e.Gone {
		delete(m.resources, ref)
	}
}

// set sets a resource, or removes it if o is nil. It keeps the value before, in case the batch is refused.
func (m *logState) set(seq wal.Seq, ref resource.Ref, o *resource.Observed) {
	m.undo = append(m.undo, change{seq, ref, m.resources[ref]})
	if m.resources[ref] = o; o == nil {
		delete(m.resources, ref)
	}
}

// refused reverts a batch that was refused. The changes of the batch are undone in reverse order,
// so that each resource gets the value from before it.
func (m *logState) refused(e event.Refused) {
	if e.From == 0 {
		return
	}
	for i := len(m.undo) - 1; i >= 0 && m.undo[i].seq >= e.From; i-- {
		c := m.undo[i]
		m.undo = m.undo[:i]
		if m.resources[c.ref] = c.was; c.was == nil {
			delete(m.resources, c.ref)
		}
		m.pasts[c.ref] = slices.DeleteFunc(m.pasts[c.ref], func(p pastAt) bool { return p.seq >= e.From && p.seq <= e.To })
	}
}

// approve keeps the newest approval of each operator.
func (m *logState) approve(c ledger.Approval) {
	others := slices.DeleteFunc(m.approvals[c.Digest], func(x ledger.Approval) bool { return x.Who == c.Who })
	m.approvals[c.Digest] = append(others, c)
}

// use notes which plan used the approvals that an action rests on.
func (m *logState) use(e event.Started) {
	if e.Approval == nil {
		return
	}
	all := m.approvals[e.Approval.Digest]
	for i := range all {
		if slices.Contains(e.Approval.By, all[i].Record) {
			all[i].Used = e.Plan
		}
	}
}

// decisions returns the decisions of a plan, even if its record only names the plan that lists them. It
// returns false if the log no longer has that plan.
func (m *logState) decisions(e event.Planned) ([]event.Decision, bool) {
	if e.Same == "" {
		for _, stack := range e.Stacks {
			m.listings[stack] = listing{e.Plan, e.Decisions}
		}
		return e.Decisions, true
	}
	for _, stack := range e.Stacks {
		if l := m.listings[stack]; l.plan == e.Same {
			return l.decisions, true
		}
	}
	return nil, false
}

// plan reconstructs the result of the comparison; false if a part of it is no longer known.
func (m *logState) plan(e event.Planned, listed []event.Decision) (comparator.Result, bool) {
	out := comparator.Result{Unchanged: e.Counts.Unchanged, Owned: e.Owned}
	for _, d := range listed {
		r := d.Recall(nil)
		if d.Difference != comparator.Missing && d.Difference != comparator.Unreachable {
			r.Observed = m.resources[d.Ref]
		}
		// The rules would judge an action by a resource or a configuration that is not known.
		if d.Proposed.Executes() &&
			(r.Desired == nil && d.Difference != comparator.Unwanted ||
				r.Observed == nil && d.Difference != comparator.Missing) {
			return out, false
		}
		out.Differences = append(out.Differences, comparator.Difference{
			Type: d.Difference, Ref: d.Ref, Desired: r.Desired, Observed: r.Observed, Changes: d.Changes,
		})
	}
	return out, true
}

// facts reconstructs what policies could read besides the plan.
func (m *logState) facts(r event.Record, e event.Planned, now time.Time) decider.Facts {
	f := decider.Facts{
		Now: now, Unreachable: map[resource.Scope]error{}, Requester: cmp.Or(e.By, r.User),
		History: func(ref resource.Ref) []decider.Past { return m.past(ref, r.Instance, e.Known) },
		Approvals: func(digest string) (out []decider.Approval) {
			for _, c := range m.approvals[digest] {
				if c.Holds(now) {
					out = append(out, decider.Approval{
						Who: c.Who, At: c.At, Used: c.Used != "" && c.Used != e.Plan, Signed: c.SignedBy != nil,
					})
				}
			}
			return out
		},
	}
	if e.Approving != "" {
		f.Digest = func(decider.Plan) string { return e.Approving }
	}
	for name, why := range e.Unreachable {
		var s resource.Scope
		if s.UnmarshalText([]byte(name)) == nil {
			f.Unreachable[s] = errors.New(why)
		}
	}
	return f
}

// past is a resource's history, newest first, up to the last record that an instance knew of its
// own log, and all earlier records of other instances.
func (m *logState) past(ref resource.Ref, instance string, known wal.Seq) []decider.Past {
	var out []decider.Past
	for _, p := range slices.Backward(m.pasts[ref]) {
		if known != 0 && p.instance == instance && p.seq > known {
			continue
		}
		if out = append(out, p.Past); len(out) == cel.HistoryLimit {
			break
		}
	}
	return out
}
