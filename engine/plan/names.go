package plan

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/lookup"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// names lists the names that only the system can have, by scope.
func (e *Planner) names(intents []resource.Intent) map[resource.Scope][]named {
	out := map[resource.Scope][]named{}
	schemas := map[[2]string][]resource.Attribute{} // of the kinds that have such names
	for i := range intents {
		for k := range intents[i].Resources {
			d := &intents[i].Resources[k]
			kind := [2]string{d.Ref.Provider, d.Ref.Kind}
			schema, seen := schemas[kind]
			if !seen {
				if schema = e.Kind(d.Ref).Attrs; !hasNames(schema) {
					schema = nil
				}
				schemas[kind] = schema
			}
			if schema != nil {
				reading := nameReading{by: d.Ref}
				reading.attrs("", schema, d.Attrs)
				out[d.Ref.Scope()] = append(out[d.Ref.Scope()], reading.out...)
			}
		}
	}
	return out
}

// namedKnown lists what to read of the names of a scope: their kinds, and their IDs, because a list may omit what is
// unmanaged. A resource that spans locations would be read in each of them, and its lists are complete.
func (e *Planner) namedKnown(names []named) (kinds []string, known []provider.Known) {
	for _, n := range names {
		kinds = append(kinds, n.ref.Kind)
		k := provider.Known{Kind: n.ref.Kind, ID: n.ref.Name}
		if !e.Kind(n.ref).Spans && !slices.Contains(known, k) {
			known = append(known, k)
		}
	}
	return kinds, known
}

// lookUpNames finds out which names cannot be used as configured. Live state of the past has only what plans needed
// then.
func (p *Planning) lookUpNames(finder *lookup.Finder) {
	p.names = nil
	if p.Past {
		return
	}
	search := nameSearch{intents: p.Intents, live: p.Live, looked: func(d *resource.Desired) *resource.Observed {
		o, _ := finder.Find(d)
		return o
	}}
	for _, o := range p.Observations {
		if o.Recorded {
			search.recorded = append(search.recorded, o.Scope)
		}
	}
	known := map[named]*NotFound{}
	for _, names := range p.planner.names(p.Intents) {
		for _, n := range names {
			same := n
			same.by, same.path = resource.Ref{}, ""
			missing, seen := known[same]
			if !seen {
				missing = search.resource(n)
				known[same] = missing
			}
			if missing != nil {
				p.names = append(p.names, nameMissing{n, *missing, reasonOf(n, missing)})
			}
		}
	}
}

// reasonOf says in a blocker why a name cannot be used.
func reasonOf(n named, m *NotFound) string {
	text := fmt.Sprintf("%s is %s, ", n.path, n.ref.Short())
	if m.Unread {
		return text + "which could not be looked up: " + m.Why
	}
	return text + "which is not in the configuration: " + m.Why
}

// tellNames lists the names that block an action among the lookups without a result.
func (p *Planning) tellNames() {
	p.NotFound = slices.DeleteFunc(p.NotFound, func(n NotFound) bool { return n.Named })
	told := map[resource.Ref]bool{}
	for i := range p.names {
		m := &p.names[i]
		used := func(d decider.Decision) bool { return m.usedBy(&d) }
		if !told[m.NotFound.Ref] && slices.ContainsFunc(p.Plan.Decisions, used) {
			told[m.NotFound.Ref] = true
			p.NotFound = append(p.NotFound, m.NotFound)
		}
	}
}
