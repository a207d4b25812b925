package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// gate is what keeps new configurations of one rollout from starting.
type gate struct {
	frozen *decider.Blocker                  // all of it; nil: nothing
	locked map[resource.Ref]*decider.Blocker // single resources
	wave   int                               // the newest that is promoted
}

// gateOf is the gate of one rollout.
func (r *rolling) gateOf(u rules.Update, version string, all []*resource.Desired) gate {
	ref := all[0].Ref
	g := gate{locked: map[resource.Ref]*decider.Blocker{}}
	if next, opens, closed := u.Closed(r.plan.At); closed {
		g.frozen = &decider.Blocker{Until: &opens, Reason: windowName(next)}
	}
	if u.Lock != "" {
		g.frozen = &decider.Blocker{Reason: "locked by update.lock: " + u.Lock, Suggestion: "remove update.lock from its file"}
	}
	for _, o := range r.orders {
		if o.Stack != ref.Stack {
			continue
		}
		switch {
		case o.Order == event.Promote && o.Name == ref.Name && o.Version == version:
			g.wave = o.Wave
		case o.Order == event.Freeze && o.Covers(o.Location, ref.Name):
			g.frozen = blockedBy(o)
		case o.Order == event.Lock:
			for _, d := range all {
				if o.Covers(d.Ref.Location, d.Ref.Name) {
					g.locked[d.Ref] = blockedBy(o)
				}
			}
		}
	}
	return g
}

func windowName(w rules.Window) string {
	if w.Name == "" {
		return "the next window"
	}
	return "window " + w.Name
}

// blockedBy is what an order says about an action.
func blockedBy(o event.Ordered) *decider.Blocker {
	what, reason := o.Target(), ""
	if o.Reason != "" {
		reason = ": " + o.Reason
	}
	if o.Order == event.Freeze {
		return &decider.Blocker{Reason: "frozen by the central orchestrator" + reason, Suggestion: "run `ovi edge unfreeze " + what + "` on its host"}
	}
	return &decider.Blocker{Reason: "locked by " + o.Who + reason, Suggestion: "run `ovi edge unlock " + what + "`"}
}

// gated asks for the rollouts of one stack which no rule names, where an order is about them.
func (r *rolling) gated(stack string) bool {
	return slices.ContainsFunc(r.orders, func(o event.Ordered) bool { return o.Stack == stack && o.Order != event.Promote })
}

// deletes are what an order says about the deletion of what is not configured any more.
func (f *following) deletes(ref resource.Ref) (decider.Blocker, bool) {
	for _, o := range f.orders {
		if o.Stack == ref.Stack && o.Order != event.Promote && o.Covers(ref.Location, ref.Name) {
			return *blockedBy(o), true
		}
	}
	return decider.Blocker{}, false
}

// blockerAtGate is why a resource does not start a new configuration at a gate; nil: for another reason.
func blockerAtGate(t rollout.Target, now *Rollout, ref resource.Ref) *decider.Blocker {
	switch t.Reason {
	case rollout.Frozen:
		return now.gate.frozen
	case rollout.Locked:
		return now.gate.locked[ref]
	case rollout.Promotion:
		return &decider.Blocker{Awaits: fmt.Sprintf("wave %d of %d is promoted", now.Reach+1, now.Of)}
	}
	return nil
}

// Lock locks or unlocks a stack, a location of it or a resource there, for new configurations.
func (e *Engine) Lock(ctx context.Context, o event.Ordered, a OperatorAction) error {
	o.Order, o.Who, o.Reason = event.Lock, a.Who, a.Reason
	all, err := e.cfg.Ledger.Orders(ctx)
	if err != nil {
		return err
	}
	locked := slices.ContainsFunc(all, func(x event.Ordered) bool {
		return x.Order == event.Lock && x.Stack == o.Stack && x.Location == o.Location && x.Name == o.Name
	})
	if !locked && !o.On {
		return resource.Advise(fmt.Errorf("%s is not locked", o.Target()), "run `ovi audit log --type ordered` to see what is")
	}
	if _, err := e.cfg.Ledger.Record(ctx, o); err != nil {
		return fmt.Errorf("record the lock: %w", err)
	}
	return nil
}

// ErrOlderOrders are orders of a central orchestrator that are older than those on record.
var ErrOlderOrders = errors.New("the orders of the central orchestrator are older than those on record, and do not count")

// Obey records what is new in the orders of a central orchestrator for a stack.
func (e *Engine) Obey(ctx context.Context, stack string, o provider.Orders) error {
	if o.Number == 0 {
		return nil
	}
	all, err := e.cfg.Ledger.Orders(ctx)
	if err != nil {
		return err
	}
	var frozen bool
	waves := map[string]event.Ordered{}
	for _, x := range all {
		if x.Stack == stack && x.Central > o.Number { // it was restored from a backup
			return fmt.Errorf("%w: their number is %d, and %d is on record", ErrOlderOrders, o.Number, x.Central)
		}
		if x.Stack == stack && x.Order == event.Freeze {
			frozen = true
		}
		if x.Stack == stack && x.Order == event.Promote {
			waves[x.Name] = x
		}
	}
	var news []event.Event
	if o.Frozen != frozen {
		news = append(news, event.Ordered{Stack: stack, Order: event.Freeze, On: o.Frozen, Central: o.Number, Who: o.Who, Reason: o.Reason})
	}
	for _, p := range o.Promoted {
		if was := waves[p.Name]; was.Version != p.Version || was.Wave < p.Wave {
			news = append(news, event.Ordered{Stack: stack, Name: p.Name, Order: event.Promote, On: true, Version: p.Version, Wave: p.Wave, Central: o.Number, Who: p.Who, Reason: p.Reason})
		}
	}
	if len(news) == 0 {
		return nil
	}
	if _, err := e.cfg.Ledger.Record(ctx, news...); err != nil {
		return fmt.Errorf("record the orders of the central orchestrator: %w", err)
	}
	return nil
}

// RecordAlarm records an alarm of a provider in the audit log.
func (e *Engine) RecordAlarm(ctx context.Context, a provider.Alarm) error {
	if _, err := e.cfg.Ledger.Record(ctx, event.Alarmed{Provider: a.Scope.Provider, Location: a.Scope.Location, Text: a.Text}); err != nil {
		return fmt.Errorf("record an alarm of %s: %w", a.At.UTC().Format(time.RFC3339), err)
	}
	return nil
}
