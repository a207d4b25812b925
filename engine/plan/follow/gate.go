package follow

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// gate keeps new configurations of one rollout from starting.
type gate struct {
	frozen *decider.Blocker                  // blocks all of it; nil blocks nothing
	locked map[resource.Ref]*decider.Blocker // single resources
	wave   int                               // the newest that is promoted
}

// gateOf is the gate of one rollout. A lock of the file counts over a closed window, and an order
// over both: the text then names the cause that a person can remove.
func (r *rolling) gateOf(u rules.Update, version string, all []*resource.Desired) gate {
	ref := all[0].Ref
	g := gate{locked: map[resource.Ref]*decider.Blocker{}}
	if next, opens, closed := u.Closed(r.At); closed {
		g.frozen = &decider.Blocker{Until: &opens, Reason: windowName(next)}
	}
	if u.Lock != "" {
		g.frozen = &decider.Blocker{
			Reason: "locked by update.lock: " + u.Lock, Suggestion: "remove update.lock from its file",
		}
	}
	for _, o := range r.orders {
		if o.Stack != ref.Stack {
			continue
		}
		switch {
		// A promotion is for one version: another version starts without.
		case o.Order == event.Promote && o.Name == ref.Name && o.Version == version:
			g.wave = o.Wave
		case o.Order == event.Freeze && o.Covers(o.Location, ref.Name):
			g.frozen = blockedBy(r.follow.words(ref), o)
		case o.Order == event.Lock:
			for _, d := range all {
				if o.Covers(d.Ref.Location, d.Ref.Name) {
					g.locked[d.Ref] = blockedBy(r.follow.words(ref), o)
				}
			}
		}
	}
	return g
}

// windowName returns the words for the next window, which may have no name.
func windowName(w rules.Window) string {
	if w.Name == "" {
		return "the next window"
	}
	return "window " + w.Name
}

// words returns the words of a provider for orders, and general ones for a provider without.
func (f *Following) words(ref resource.Ref) provider.OrderWords {
	if p, has := f.providers[ref.Provider].(provider.Ordered); has {
		return p.OrderWords()
	}
	return provider.OrderWords{By: "an order", Unfreeze: "unfreeze %s where it was frozen", Unlock: "unlock %s"}
}

// blockedBy returns the blocker for an order.
func blockedBy(words provider.OrderWords, o event.Ordered) *decider.Blocker {
	b := &decider.Blocker{Reason: "locked by " + o.Who, Suggestion: fmt.Sprintf(words.Unlock, o.Target())}
	if o.Order == event.Freeze {
		b = &decider.Blocker{Reason: "frozen by " + words.By, Suggestion: fmt.Sprintf(words.Unfreeze, o.Target())}
	}
	if o.Reason != "" {
		b.Reason += ": " + o.Reason
	}
	return b
}

// gated asks for the rollouts of one stack which no rule names, where an order is about them.
func (r *rolling) gated(stack string) bool {
	return slices.ContainsFunc(r.orders, func(o event.Ordered) bool {
		return o.Stack == stack && o.Order != event.Promote
	})
}

// deletes returns the blocker of an order for the deletion of a resource that is not configured any
// more. Without it a freeze would stop new configurations and still let resources be deleted.
func (f *Following) deletes(ref resource.Ref) (decider.Blocker, bool) {
	for _, o := range f.Orders {
		if o.Stack == ref.Stack && o.Order != event.Promote && o.Covers(ref.Location, ref.Name) {
			return *blockedBy(f.words(ref), o), true
		}
	}
	return decider.Blocker{}, false
}

// blockerAtGate returns the reason of a gate against a new configuration of a resource; nil if it is another one.
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
