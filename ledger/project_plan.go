package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/storage"
)

// planValue is the value of plan/<stack>.
type planValue struct {
	Plan   string       `json:"plan"`
	Listed string       `json:"listed"` // the plan whose record lists the decisions
	Hash   string       `json:"hash"`
	Mode   event.Mode   `json:"mode"`
	At     time.Time    `json:"at"`
	Counts event.Counts `json:"counts"`
	// What approvals bind to, so that any instance can tell who said yes.
	Digest    string `json:"digest,omitempty"`
	Approving string `json:"approving,omitempty"`
}

// decidedValue is the value of decided/<ref>: the plan that first decided so.
type decidedValue struct {
	Plan     string          `json:"plan"`
	Mode     event.Mode      `json:"mode"`
	At       time.Time       `json:"at"`
	Decision json.RawMessage `json:"decision"`
}

// manyDecisions is from where on the old decisions are read in one go.
const manyDecisions = 32

func planKey(stack string) string { return keyPlan + url.PathEscape(stack) }

// planned notes the plan for its stacks, and each decision that is another than the last one
// on its thing.
func (p *projection) planned(r event.Record, e event.Planned) error {
	v := planValue{e.Plan, e.Plan, e.Hash, e.Mode, r.At, e.Counts, e.Digest, e.Approving}
	if e.Same != "" {
		v.Listed = e.Same
	}
	for _, stack := range e.Stacks {
		if err := p.put(planKey(stack), v); err != nil {
			return err
		}
	}
	old := p.get
	if len(e.Decisions) > manyDecisions {
		var err error
		if old, err = p.prefetch(keyDecided); err != nil {
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

func (p *projection) decided(r event.Record, e event.Planned, d event.Decision, old func(string) ([]byte, error)) error {
	key := keyDecided + d.Ref.String()
	d.Desired = nil // the log has it; here it would only make a wish that moved in its file a new decision
	raw, err := event.Marshal(d)
	if err != nil {
		return err
	}
	was, err := old(key)
	if err != nil {
		return err
	}
	var v decidedValue
	if was != nil && json.Unmarshal(was, &v) == nil && bytes.Equal(v.Decision, raw) {
		return nil
	}
	return p.put(key, decidedValue{e.Plan, e.Mode, r.At, raw})
}

// prefetch reads a whole prefix, for many gets.
func (p *projection) prefetch(prefix string) (func(string) ([]byte, error), error) {
	entries, _, err := p.store.Range(p.ctx, prefix, storage.Now)
	if err != nil {
		return nil, err
	}
	all := map[string]storage.Entry{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		all[e.Key] = e
	}
	return func(key string) ([]byte, error) {
		if i, ok := p.wrote[key]; ok {
			return p.ops[i].Value, nil
		}
		p.rests(key, all[key])
		return all[key].Value, nil
	}, nil
}

// RecordPlan records a plan. If the last plan of its stacks decided the same, the decisions
// are not listed again.
func (l *Ledger) RecordPlan(ctx context.Context, e event.Planned) (Receipt, error) {
	return l.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		same, err := l.samePlan(ctx, e)
		if err != nil {
			return nil, err
		}
		if same != "" && len(e.Decisions) > 0 {
			e.Same, e.Decisions = same, nil
		}
		return []event.Event{e}, nil
	}})
}

// samePlan finds the plan that lists these decisions, if it is the last one of all stacks.
func (l *Ledger) samePlan(ctx context.Context, e event.Planned) (string, error) {
	same := ""
	for _, stack := range e.Stacks {
		entry, err := l.get(ctx, planKey(stack), storage.Now)
		if err != nil {
			return "", err
		}
		var v planValue
		if entry.Value == nil || json.Unmarshal(entry.Value, &v) != nil || v.Hash != e.Hash || same != "" && v.Listed != same {
			return "", nil
		}
		same = v.Listed
	}
	return same, nil
}
