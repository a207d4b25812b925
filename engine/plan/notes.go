package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// noteUnverified notes which changes set a value that is not known.
func (m *memory) noteUnverified(p decider.Plan, kinds decider.Kinds) {
	if !m.resets {
		return
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Difference != comparator.Drifted {
			continue
		}
		applied, known := m.applied(d.Ref)
		kind, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		for k := range d.Changes {
			c := &d.Changes[k]
			name, _, _ := strings.Cut(c.Path, ".")
			if c.From != nil || c.On != resource.OnAttribute {
				continue
			}
			writeOnly := slices.ContainsFunc(kind.Attrs, func(a resource.Attribute) bool {
				return a.Name == name && a.WriteOnly
			})
			if slices.Contains(applied.Unverified, name) || !known && writeOnly {
				c.Note = comparator.NoteUnverified
			}
		}
	}
}

// inProgress are the resources of which an action of any instance has no result yet.
func inProgress(p *Planned) map[resource.Ref]bool {
	out := map[resource.Ref]bool{}
	for ref := range p.Open {
		out[ref] = true
	}
	for i := range p.Flights {
		out[p.Flights[i].Ref] = true
	}
	return out
}

// noteOutside notes which changes of a plan were made outside ovi, and not by the configuration or
// by an action in progress. If an action of ovi may have caused the difference, the note needs an
// observation after it that had the configured value: a note must be certain.
func (m *memory) noteOutside(p decider.Plan, acting map[resource.Ref]bool) error {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Difference != comparator.Drifted || d.Desired == nil {
			continue
		}
		applied, known := m.applied(d.Ref)
		if !known {
			continue
		}
		var seen []resource.Observed
		// An action of ovi's own may have caused the difference.
		unsure := acting[d.Ref] || applied.Recovered || len(m.tries[d.Ref]) > 0
		if unsure {
			var err error
			if seen, err = m.seen(d.Ref); err != nil {
				return fmt.Errorf("read the history of %s: %w", d.Ref, err)
			}
		}
		for k := range d.Changes {
			c := &d.Changes[k]
			before, ok := wasApplied(applied, *c)
			if ok && c.Note == "" && !c.KnownAfterApply && resource.Equal(c.To, before) &&
				(!unsure || seenAsConfigured(seen, *c)) {
				c.Note = resource.NoteOutside
			}
		}
	}
	return nil
}

// seenAsConfigured reports whether a resource was observed with the configured value of a change. If that was after the
// last action of ovi, the action did not cause the difference.
func seenAsConfigured(states []resource.Observed, c resource.Change) bool {
	return slices.ContainsFunc(states, func(o resource.Observed) bool {
		if o.Condition == resource.Unreadable {
			return false
		}
		v, ok := wasApplied(event.Applied{
			Attrs: o.Attrs, Tags: o.Tags, State: resource.State(resource.StateOf(o.Health)),
		}, c)
		return ok && resource.Equal(v, c.To)
	})
}
