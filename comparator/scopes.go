package comparator

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// observedScope is one scope that was seen, its things sorted by ref.
type observedScope struct {
	scope     resource.Scope
	resources []resource.Observed
	snapshot  resource.Snapshot // for what it covers
}

// observedScopes lists the scopes that were seen. A scope that also failed was not: doubt wins.
func observedScopes(w resource.LiveState) []observedScope {
	out := make([]observedScope, 0, len(w.Scopes))
	for scope, snap := range w.Scopes {
		if _, failed := w.Unreachable[scope]; !failed {
			out = append(out, observedScope{scope, snap.Resources, snap})
		}
	}
	slices.SortFunc(out, func(a, b observedScope) int { return a.scope.Compare(b.scope) })
	return out
}

// sort brings the things into the order of their refs, those of one ref by their ids.
func (p *observedScope) sort() {
	p.resources = slices.Clone(p.resources)
	slices.SortStableFunc(p.resources, func(a, b resource.Observed) int { return order(&a, &b) })
}

// scopeOf finds a scope; nil if it was not seen.
func (c *comparison) scopeOf(s resource.Scope) *observedScope {
	i, ok := slices.BinarySearchFunc(c.scopes, s, func(p observedScope, s resource.Scope) int { return p.scope.Compare(s) })
	if !ok {
		return nil
	}
	return &c.scopes[i]
}

// group finds everything that carries a ref, in the ref's own scope.
func (c *comparison) group(ref resource.Ref) []resource.Observed {
	p := c.scopeOf(ref.Scope())
	if p == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(p.resources, ref, func(o resource.Observed, r resource.Ref) int { return o.Ref.Compare(r) })
	if !ok {
		return nil
	}
	return p.resources[i : i+c.run(p.resources[i:])]
}

// run counts the things at the front that carry one ref, and notes where the order of refs
// is broken.
func (c *comparison) run(objects []resource.Observed) int {
	for n := 1; n < len(objects); n++ {
		switch d := objects[n-1].Ref.Compare(objects[n].Ref); {
		case d < 0:
			return n
		case d > 0 || order(&objects[n-1], &objects[n]) > 0:
			c.unsorted = true
			return n
		}
	}
	return len(objects)
}

// proven finds what the record proves to be ours; such resources come first in a group. Of a
// replacement under way it is the old one.
func proven(group []resource.Observed) (first *resource.Observed, n int) {
	for n < len(group) && group[n].Managed() {
		n++
	}
	for i := range n {
		if first == nil || first.Role == resource.RoleNew {
			first = &group[i]
		}
	}
	return first, n
}
