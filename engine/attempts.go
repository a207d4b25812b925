package engine

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
)

// recordExhausted records the configurations of a plan whose attempts are used up, each once.
func (e *Engine) recordExhausted(ctx context.Context, p *Planned) error {
	var found []event.Event
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if d.Stopped(decider.AttemptLimit{}) {
			t := p.tries[d.Ref].Of(d.DesiredDigest())
			found = append(found, event.Exhausted{Ref: d.Ref, Desired: t.Desired, Attempts: t.Used()})
		}
	}
	if len(found) == 0 {
		return nil
	}
	known, err := e.cfg.Ledger.Exhausted(ctx)
	if err != nil {
		return fmt.Errorf("read the configurations without attempts left: %w", err)
	}
	var fresh []event.Event
	for _, x := range found {
		if x := x.(event.Exhausted); known[x.Ref].Desired != x.Desired {
			fresh = append(fresh, x)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if _, err := e.cfg.Ledger.Record(ctx, fresh...); err != nil {
		return fmt.Errorf("record the configurations without attempts left: %w", err)
	}
	return nil
}
