package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// recordExhausted records the configurations of a plan whose attempts are used up, each once.
func (e *Engine) recordExhausted(ctx context.Context, p *Planned) error {
	var found []event.Event
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if d.Stopped(decider.AttemptLimit{}) {
			if _, back := p.back(d.Ref); back {
				continue
			}
			t := p.tries[d.Ref].Of(d.DesiredDigest())
			n, class := spent(t.Attempts, p.attemptsAllowed(d.Ref))
			found = append(found, event.Exhausted{Ref: d.Ref, Desired: t.Desired, Attempts: n, Class: class})
		}
		if x, back := p.back(d.Ref); back {
			found = append(found, x)
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
		if x := x.(event.Exhausted); known[x.Ref].Desired != x.Desired || x.Back != "" && known[x.Ref].Back != x.Back {
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

// attemptsAllowed are those of the stack of a resource.
func (p *Planned) attemptsAllowed(ref resource.Ref) rules.Attempts {
	for i := range p.Intents {
		if p.Intents[i].Stack == ref.Stack {
			return decider.AttemptsAllowed(p.Intents[i].Rules, ref)
		}
	}
	return rules.Attempts{}
}

// back is the configuration whose attempts a resource used up, and that it returns from.
func (p *Planned) back(ref resource.Ref) (event.Exhausted, bool) {
	if p.following == nil {
		return event.Exhausted{}, false
	}
	x, is := p.following.back[ref]
	return x, is
}

// recordWaves records how far the rollouts of a plan have come, where that has changed and before
// anything is done. Only what is to be applied starts a wave.
func (e *Engine) recordWaves(ctx context.Context, p *Planned) error {
	if p.following == nil || p.Mode != event.ForApply || len(p.following.waves) == 0 {
		return nil
	}
	var all []event.Event
	for _, w := range p.following.waves {
		all = append(all, w)
	}
	if _, err := e.cfg.Ledger.Record(ctx, all...); err != nil {
		return fmt.Errorf("record the waves: %w", err)
	}
	return nil
}

// Rollouts are how far the newest configurations have come whose updates are limited.
func (p *Planned) Rollouts() []Rollout {
	if p.following == nil {
		return nil
	}
	return p.following.rollouts
}

// Orders are what was ordered about new configurations of a stack, and is on record.
func (p *Planned) Orders(stack string) []event.Ordered {
	if p.following == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.following.orders), func(o event.Ordered) bool { return o.Stack != stack })
}
