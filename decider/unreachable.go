package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// Unreachable blocks every action in a location that could not be read. It blocks destroying a resource on
// which one that could not be read depends, by its configuration or as last observed, unless that one is
// inside of it: destroying the outer resource loses its contents in any case. It also blocks deleting a
// resource that is configured under the same name in an unreachable location: a misspelled region must not
// delete the resources of the right one.
type Unreachable struct{ Kinds Kinds }

// Name implements Policy.
func (Unreachable) Name() string { return "unreachable" }

// Review implements Policy.
func (u Unreachable) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	moved := map[sameName]resource.Scope{} // the configured resources that are unreachable
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Difference == comparator.Unreachable && d.Desired != nil {
			moved[nameOf(d)] = d.Ref.Scope()
		}
	}
	if len(p.Unreachable) == 0 && len(moved) == 0 && len(f.Unread) == 0 {
		return out, nil
	}
	needed := u.neededByDesired(p.Decisions)
	held := u.neededByUnread(f.Unread)
	for i := range p.Decisions {
		d := &p.Decisions[i]
		scope := d.Ref.Scope()
		if why, unreachable := p.Unreachable[scope]; unreachable {
			out[i] = Blocker{Reason: scope.String() + " is unreachable: " + why}
			continue
		}
		if why, unreachable := p.UnreachableKinds[scope][d.Ref.Kind]; unreachable && d.Observed == nil {
			out[i] = Blocker{Reason: d.Ref.Kind + " in " + scope.String() + " is unreachable: " + why}
			continue
		}
		if to, ok := moved[nameOf(d)]; ok && d.Proposed == Delete {
			out[i] = Blocker{
				Reason:     "it is configured in " + to.String() + " now, which could not be read",
				Suggestion: "check the location, or make it reachable",
			}
			continue
		}
		if !d.Proposed.Destroys() || d.Observed == nil {
			continue
		}
		by, ok := needed[d.Ref]
		if !ok {
			by, ok = held[identity{scope, d.Ref.Kind, d.Observed.ID}]
		}
		if ok && by != d.Ref {
			out[i] = Blocker{Reason: fmt.Sprintf("%s depends on it and could not be read", by.Short())}
		}
	}
	return out, nil
}

// neededByDesired maps the configured dependencies of unreachable resources to their dependents, except the
// resources that they are inside of.
func (u Unreachable) neededByDesired(all []Decision) map[resource.Ref]resource.Ref {
	out := map[resource.Ref]resource.Ref{}
	for i := range all {
		if d := &all[i]; d.Difference == comparator.Unreachable && d.Desired != nil {
			for _, r := range d.Desired.Refs() {
				if !u.opens(r, d.Ref.Scope()) {
					out[r] = d.Ref
				}
			}
		}
	}
	return out
}

// opens reports whether a scope is the inside of a resource.
func (u Unreachable) opens(r resource.Ref, s resource.Scope) bool {
	if u.Kinds == nil {
		return false
	}
	k, _ := u.Kinds(r.Provider, r.Kind)
	return k.Opens != nil && k.Opens(r) == s
}

// neededByUnread maps the dependencies of resources that could not be read, as last observed, to
// their dependents.
func (u Unreachable) neededByUnread(unread []resource.Observed) map[identity]resource.Ref {
	out := map[identity]resource.Ref{}
	for i := range unread {
		o := &unread[i]
		if u.Kinds == nil {
			continue
		}
		k, _ := u.Kinds(o.Ref.Provider, o.Ref.Kind)
		for _, id := range idsHeld(o, k.Attrs) {
			out[id] = o.Ref
		}
	}
	return out
}

// sameName identifies a resource without its location.
type sameName struct{ provider, stack, kind, name string }

func nameOf(d *Decision) sameName {
	return sameName{d.Ref.Provider, d.Ref.Stack, d.Ref.Kind, d.Ref.Name}
}
