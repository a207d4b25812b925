package history

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
)

// fewPlans is the number of plans that are kept for the actions that may follow them.
const fewPlans = 64

// logFallback reads this log up to the oldest batch that the store still has: only the first one,
// unless the store was compacted or is newer than the log. A log of another instance is not read:
// only its own data directory has it.
func (g *historyReader) logFallback(ctx context.Context) error {
	all, err := g.clock.ticks(ctx, g.clock.oldest)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(t tick) bool { return t.instance == g.l.Instance() })
	if i < 0 {
		return nil
	}
	p := &g.past
	for b, err := range g.l.Log().Read(0) {
		if err != nil || b.First > all[i].head.Seq {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for n, raw := range b.Records {
			// The bytes of a record show whether it may matter, before it is decoded.
			names := bytes.Contains(raw, p.g.pages.needle)
			if !names && !bytes.Contains(raw, []byte(`"event":"loaded"`)) && !bytes.Contains(raw, []byte(`"same":"`)) {
				continue
			}
			r, err := event.DecodeRecord(pruned(raw, p.g.pages.needle))
			if r.Seq = b.First + seq(n); err != nil {
				return fmt.Errorf("record %d: %w", r.Seq, err)
			}
			p.take(r)
		}
	}
	return nil
}

// past reads, one after the other, batches that only the log has, with the records that plans rest on.
type past struct {
	g       *historyReader
	read    map[string]event.Loaded   // what was last read, by stack
	decided map[string]event.Decision // on the resource, by the plan that lists it
	alike   []event.Record            // the last plans that are as one before
}

// take adds a record if it concerns the resource. Two kinds of records count although they do not name
// the resource: the source that a plan was made from, and a plan that decided the same as before.
func (p *past) take(r event.Record) {
	switch e := r.Event.(type) {
	case event.Loaded:
		p.read[e.Stack] = e
		return
	case event.Planned:
		if e.Same != "" {
			p.alike = append(p.alike, r)
			p.alike = p.alike[max(0, len(p.alike)-fewPlans):]
			return
		}
	}
	r, ok := cutDown(r, p.g.ref)
	if !ok {
		return
	}
	if plan, _ := planOf(r.Event); plan != "" && !p.g.plans[plan] {
		p.recall(plan)
	}
	p.add(r)
}

// recall adds a plan with the decisions of an earlier one, because actions followed it. Such a plan
// lists no decisions; the decision comes from the plan that it names.
func (p *past) recall(plan string) (ok bool) {
	for _, r := range p.alike {
		e, ok := r.Event.(event.Planned)
		if d, listed := p.decided[e.Same]; ok && listed && e.Plan == plan {
			e.Decisions = []event.Decision{d}
			r.Event = e
			p.add(r)
			return true
		}
	}
	return false
}

// add adds a record with revision 0, because the store has no revision for it, and keeps the decision
// and the source of a plan for later ones.
func (p *past) add(r event.Record) {
	if e, ok := r.Event.(event.Planned); ok {
		p.decided[e.Plan] = e.Decisions[0]
		if source, ok := p.read[stackOf(e)]; ok {
			p.g.sources[e.Plan] = source
		}
	}
	p.g.add(0, r)
}
