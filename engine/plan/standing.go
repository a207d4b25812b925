package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/accepted"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/secrets"
	"github.com/ovi-project/ovi/resource/unread"
)

// whySize limits the recorded error of a part that could not be read.
const whySize = 4096

// unreadParts lists the parts of sources that could not be read, for the record.
func unreadParts(intents []resource.Intent) []event.Unread {
	var out []event.Unread
	for i := range intents {
		for _, p := range unread.All(&intents[i]) {
			out = append(out, event.Unread{
				Stack: intents[i].Stack, Part: p.Name, Why: p.Why[:min(len(p.Why), whySize)], Read: p.Read,
				Never: p.Never, Unknown: p.Unknown, Any: p.Any, Refs: p.Dependents,
			})
		}
	}
	return out
}

// Unread lists the parts of the plan's sources that could not be read.
func (p *Planned) Unread() []event.Unread { return unreadParts(p.Intents) }

// lastAccepted returns the policy for sources that could not be read; false if all were. It replaces an accepted
// configuration that was never applied by the configuration that was applied last, because only that can be healed.
func (e *Planner) lastAccepted(ctx context.Context, p *Planning) (decider.LastAccepted, bool, error) {
	if p.Past || p.o.Destroy || len(unreadParts(p.Intents)) == 0 {
		return decider.LastAccepted{}, false, nil
	}
	good, err := e.Ledger.Reader().LastGood(ctx, 0)
	if err != nil {
		return decider.LastAccepted{}, false, err
	}
	m, room := p.memory, rooms{memory: p.memory, of: map[resource.Ref]rows.Room{}}
	if err := room.read(ctx, e.Ledger.Reader(), p.Intents); err != nil {
		return decider.LastAccepted{}, false, err
	}
	renamed := map[resource.Ref]bool{} // configured as applied, apart from names in references
	p.Intents = slices.Clone(p.Intents)
	for i := range p.Intents {
		in := &p.Intents[i]
		if len(unread.All(in)) == 0 {
			continue
		}
		in.Resources = slices.Clone(in.Resources)
		names := accepted.NamesOf(in, m.names.Moves)
		for k := range in.Resources {
			d := &in.Resources[k]
			if _, found := unread.Of(in, d.Ref, false); !found {
				continue
			}
			applied, known := m.applied(d.Ref)
			if renamed[d.Ref] = names.Same(d, applied.Desired) || names.Same(d, good[d.Ref].Desired); renamed[d.Ref] {
				continue
			}
			if known && applied.Desired != "" && applied.Desired != d.Digest() && !room.owes(d.Ref, d.Digest()) {
				*d = follow.Standing(d, applied)
				if e.Reveal != nil { // the secrets that this process knows
					d.Attrs = secrets.Attrs(d.Attrs, func(x resource.Digest) (string, bool) { return e.Reveal(x, "") })
				}
			}
		}
	}
	return decider.LastAccepted{Intents: p.Intents, WasApplied: func(ref resource.Ref, digest string) bool {
		applied, known := m.applied(ref)
		return known && applied.Desired == digest || good[ref].Desired == digest || renamed[ref]
	}, Owed: room.owes, Restores: m.restores}, true, nil
}

// rooms are the configurations for which deletes were done.
type rooms struct {
	memory *memory
	of     map[resource.Ref]rows.Room
}

// read reads them for the resources that are in parts which could not be read.
func (x *rooms) read(ctx context.Context, r *ledger.Reader, intents []resource.Intent) (err error) {
	for i := range intents {
		in := &intents[i]
		for k := range in.Resources {
			ref := in.Resources[k].Ref
			if _, found := unread.Of(in, ref, false); !found {
				continue
			}
			if x.of[ref], err = r.Sources().RoomFor(ctx, ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// owes reports whether a delete was done for a configuration of a resource, and something is still down because of it.
func (x *rooms) owes(ref resource.Ref, digest string) bool {
	room := x.of[ref]
	if room.Desired == "" || room.Desired != digest {
		return false
	}
	return x.down(ref) || !room.For.IsZero() && x.down(room.For)
}

// down reports whether a resource lacks its place: it was deleted to be replaced, or another one was deleted for it.
func (x *rooms) down(ref resource.Ref) bool {
	if len(x.memory.names.Outages[ref]) > 0 {
		return true
	}
	_, exists := x.memory.applied(ref)
	room := x.of[ref]
	return !exists && room.Desired != "" && room.For.IsZero()
}

// restores reports whether all changes of an adopted resource, to which nothing was applied, go back to values that
// were observed on it.
func (m *memory) restores(d *decider.Decision) bool {
	applied, known := m.applied(d.Ref)
	if known && applied.Desired != "" || len(d.Changes) == 0 || d.Difference != comparator.Drifted {
		return false
	}
	seen, err := m.seen(d.Ref)
	if err != nil {
		m.seenErr = errors.Join(m.seenErr, fmt.Errorf("read the history of %s: %w", d.Ref, err))
		return false
	}
	return !slices.ContainsFunc(d.Changes, func(c resource.Change) bool { return !seenAsConfigured(seen, c) })
}
