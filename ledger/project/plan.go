package project

import (
	"bytes"
	"encoding/json"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
)

// manyDecisions is from where on the old decisions are read at once.
const manyDecisions = 32

// planned records the plan of its stacks, and each decision that differs from the last one on its
// resource. A decision that did not change is not written, so that the revisions of its key are the
// changes of the decision.
func (p *projection) planned(r event.Record, e event.Planned) error {
	v := rows.Plan{
		Plan: e.Plan, Listed: e.Plan, Hash: e.Hash, Mode: e.Mode, At: r.At, Counts: e.Counts, Digest: e.Digest,
		Approving: e.Approving,
	}
	unread := map[string][]event.Unread{}
	for _, u := range e.Unread {
		unread[u.Stack] = append(unread[u.Stack], u)
	}
	if e.Same != "" {
		v.Listed = e.Same
	}
	for _, stack := range e.Stacks {
		v.Unread = unread[stack]
		if err := p.put(rows.PlanOf(stack), v); err != nil {
			return err
		}
	}
	old := p.get
	if len(e.Decisions) > manyDecisions {
		var err error
		if old, err = p.prefetch(rows.KeyDecided); err != nil {
			return err
		}
	}
	for _, d := range e.Decisions {
		if err := p.decided(r, e, d, old); err != nil {
			return err
		}
	}
	return nil
}

// decided writes the decision on one resource if it differs from the last one. The plan and its
// time are not compared, so that the row names the plan that first made the decision.
func (p *projection) decided(
	r event.Record, e event.Planned, d event.Decision, old func(string) ([]byte, error),
) error {
	key := rows.Of(rows.KeyDecided, d.Ref)
	d.Desired = nil // the log has it; here a new position in the file would make a new decision
	raw, err := event.Marshal(d)
	if err != nil {
		return err
	}
	was, err := old(key)
	if err != nil {
		return err
	}
	var v rows.Decided
	if was != nil && json.Unmarshal(was, &v) == nil && bytes.Equal(v.Decision, raw) {
		return nil
	}
	return p.put(key, rows.Decided{Plan: e.Plan, Mode: e.Mode, At: r.At, Decision: raw})
}
