package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/ledger/event"
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
				Stack: intents[i].Stack, Part: p.Name, Why: p.Why[:min(len(p.Why), whySize)], Read: p.Read, Unknown: p.Unknown,
				Refs: p.Dependents,
			})
		}
	}
	return out
}

// Unread lists the parts of the plan's sources that could not be read.
func (p *Planned) Unread() []event.Unread { return unreadParts(p.Intents) }

// revealed returns attributes with the secrets that this process knows.
func (e *Planner) revealed(attrs resource.Attrs) resource.Attrs {
	if e.Reveal == nil {
		return attrs
	}
	return secrets.Attrs(attrs, func(d resource.Digest) (string, bool) { return e.Reveal(d, "") })
}

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
	m, room := p.memory, map[resource.Ref]string{}
	p.Intents = slices.Clone(p.Intents)
	for i := range p.Intents {
		in := &p.Intents[i]
		if len(unread.All(in)) == 0 {
			continue
		}
		in.Resources = slices.Clone(in.Resources)
		for k := range in.Resources {
			d := &in.Resources[k]
			if _, found := unread.Of(in, d.Ref, false); !found {
				continue
			}
			applied, known := m.applied(d.Ref)
			if !known {
				if room[d.Ref], err = e.Ledger.Reader().Sources().RoomFor(ctx, d.Ref); err != nil {
					return decider.LastAccepted{}, false, err
				}
				continue
			}
			if applied.Desired != "" && applied.Desired != d.Digest() {
				*d = follow.Standing(d, applied)
				d.Attrs = e.revealed(d.Attrs)
			}
		}
	}
	return decider.LastAccepted{Intents: p.Intents, WasApplied: func(ref resource.Ref, digest string) bool {
		applied, known := m.applied(ref)
		return known && applied.Desired == digest || good[ref].Desired == digest || room[ref] == digest
	}, Restores: m.restores}, true, nil
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
