package engine

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// recollection is what the records of a log say up to some point: the things as they were
// last seen, what was done to them, who approved of what, what each stack's last plan listed.
type recollection struct {
	things   map[resource.Ref]*resource.Observed
	pasts    map[resource.Ref][]pastAt // oldest first
	consents map[string][]ledger.Consent
	listings map[string]listing // by stack
	undo     []change           // the last changes of things, in case their batch is refused
}

type listing struct {
	plan      string
	decisions []ledger.Decision
}

type pastAt struct {
	instance string
	seq      wal.Seq
	decider.Past
}

type change struct {
	seq wal.Seq
	ref resource.Ref
	was *resource.Observed
}

func newRecollection() *recollection {
	return &recollection{
		things: map[resource.Ref]*resource.Observed{}, pasts: map[resource.Ref][]pastAt{},
		consents: map[string][]ledger.Consent{}, listings: map[string]listing{},
	}
}

// learn takes a record in, as the store's projection does.
func (m *recollection) learn(r ledger.Record) error {
	if p, ok := ledger.PastOf(r); ok {
		ref := r.Event.About()
		m.pasts[ref] = append(m.pasts[ref], pastAt{r.Instance, r.Seq, p})
	}
	switch e := r.Event.(type) {
	case ledger.Observed:
		m.observed(e)
	case ledger.Ended:
		if e.Outcome == ledger.Done {
			m.done(r.Seq, e)
		}
	case ledger.Abandoned:
		if e.Finding == ledger.FoundDone && e.Action == decider.Delete {
			m.set(r.Seq, e.Ref, nil)
		}
	case ledger.Approved:
		if e.Digest != "" {
			m.consent(ledger.Consent{Approved: e, At: r.At})
		}
	case ledger.Refused:
		m.refused(e)
	case ledger.Carried:
		return m.carried(e)
	}
	return nil
}

// carried takes in what a trimmed log says of what was before.
func (m *recollection) carried(e ledger.Carried) error {
	things, consents, err := e.Known()
	maps.Copy(m.things, things)
	for _, c := range consents {
		m.consent(c)
	}
	return err
}

func (m *recollection) observed(e ledger.Observed) {
	m.undo = m.undo[:0] // a refused batch is refused by the one right behind it
	if !e.Complete {
		return
	}
	for i := range e.Changed {
		m.things[e.Changed[i].Ref] = &e.Changed[i]
	}
	for i := range e.Odd {
		m.things[e.Odd[i].As] = &e.Odd[i].Thing
	}
	for _, ref := range e.Gone {
		delete(m.things, ref)
	}
}

func (m *recollection) done(seq wal.Seq, e ledger.Ended) {
	switch {
	case e.Action == decider.Delete || e.Half == ledger.HalfDelete:
		m.set(seq, e.Ref, nil)
	case e.Thing != nil:
		m.set(seq, e.Ref, e.Thing)
	}
}

func (m *recollection) set(seq wal.Seq, ref resource.Ref, o *resource.Observed) {
	m.undo = append(m.undo, change{seq, ref, m.things[ref]})
	if m.things[ref] = o; o == nil {
		delete(m.things, ref)
	}
}

// refused takes back what a batch said that never counted.
func (m *recollection) refused(e ledger.Refused) {
	if e.From == 0 {
		return
	}
	for i := len(m.undo) - 1; i >= 0 && m.undo[i].seq >= e.From; i-- {
		c := m.undo[i]
		m.undo = m.undo[:i]
		if m.things[c.ref] = c.was; c.was == nil {
			delete(m.things, c.ref)
		}
		m.pasts[c.ref] = slices.DeleteFunc(m.pasts[c.ref], func(p pastAt) bool { return p.seq >= e.From && p.seq <= e.To })
	}
}

// consent keeps the last word of each person.
func (m *recollection) consent(c ledger.Consent) {
	others := slices.DeleteFunc(m.consents[c.Digest], func(x ledger.Consent) bool { return x.Who == c.Who })
	m.consents[c.Digest] = append(others, c)
}

// decisions are those of a plan, also if its record only names the plan that lists them;
// false if that one is not in the log any more.
func (m *recollection) decisions(e ledger.Planned) ([]ledger.Decision, bool) {
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

// plan puts together again what was compared; false if some of it is not known any more.
func (m *recollection) plan(e ledger.Planned, listed []ledger.Decision) (comparator.Result, bool) {
	out := comparator.Result{Unchanged: e.Counts.Unchanged, Owned: e.Owned}
	for _, d := range listed {
		r := d.Recall(nil)
		if d.Difference != comparator.Missing && d.Difference != comparator.Unknown {
			r.There = m.things[d.Ref]
		}
		if d.Proposed.Executes() && (r.Wanted == nil && d.Difference != comparator.Unwanted || r.There == nil && d.Difference != comparator.Missing) {
			return out, false
		}
		out.Differences = append(out.Differences, comparator.Difference{
			Sort: d.Difference, Ref: d.Ref, Stack: d.Stack, Wanted: r.Wanted, There: r.There, Changes: d.Changes,
		})
	}
	return out, true
}

// facts are what policies could look at besides the plan.
func (m *recollection) facts(r ledger.Record, e ledger.Planned, now time.Time) decider.Facts {
	f := decider.Facts{
		Now: now, Failed: map[resource.Scope]error{},
		History: func(ref resource.Ref) []decider.Past { return m.past(ref, r.Instance, e.Known) },
		Approvals: func(digest string) (out []decider.Approval) {
			for _, c := range m.consents[digest] {
				if c.Holds(now) {
					out = append(out, decider.Approval{Who: c.Who, At: c.At})
				}
			}
			return out
		},
	}
	if e.Approving != "" {
		f.Digest = func(decider.Plan) string { return e.Approving }
	}
	for name, why := range e.Blind {
		var s resource.Scope
		if s.UnmarshalText([]byte(name)) == nil {
			f.Failed[s] = errors.New(why)
		}
	}
	return f
}

// past is a thing's history, newest first, up to what an instance knew of its own log; what others
// recorded before is in front of it.
func (m *recollection) past(ref resource.Ref, instance string, known wal.Seq) []decider.Past {
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
