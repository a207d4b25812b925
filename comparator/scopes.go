package comparator

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// observedScope is a scope that was read, its resources sorted by ref.
type observedScope struct {
	scope     resource.Scope
	resources []resource.Observed
	snapshot  resource.Snapshot                   // for what it covers
	disputed  map[resource.Ref]*resource.Observed // by their marks; made on first use
}

// markedAs returns the resource whose marks name a ref while the record binds it to another one; nil
// if there is none.
func (p *observedScope) markedAs(ref resource.Ref) *resource.Observed {
	if p.disputed == nil {
		p.disputed = map[resource.Ref]*resource.Observed{}
		for i := range p.resources {
			if o := &p.resources[i]; o.Ownership == resource.Disputed && o.Marks.Ref != o.Ref {
				p.disputed[o.Marks.Ref] = o
			}
		}
	}
	return p.disputed[ref]
}

// observedScopes lists the scopes that were read. A scope that also has an error counts as
// unreachable.
func observedScopes(w resource.LiveState) []observedScope {
	out := make([]observedScope, 0, len(w.Scopes))
	for scope, snap := range w.Scopes {
		if _, failed := w.Unreachable[scope]; !failed {
			out = append(out, observedScope{scope: scope, resources: snap.Resources, snapshot: snap})
		}
	}
	slices.SortFunc(out, func(a, b observedScope) int { return resource.CompareScopes(a.scope, b.scope) })
	return out
}

// sort sorts the resources as Bind does.
func (p *observedScope) sort() {
	p.resources = slices.Clone(p.resources)
	slices.SortStableFunc(p.resources, func(a, b resource.Observed) int { return order(&a, &b) })
}

// scopeOf finds a scope; nil if it was not read.
func (c *comparison) scopeOf(s resource.Scope) *observedScope {
	i, ok := slices.BinarySearchFunc(c.scopes, s,
		func(p observedScope, s resource.Scope) int { return resource.CompareScopes(p.scope, s) })
	if !ok {
		return nil
	}
	return &c.scopes[i]
}

// group finds the observed resources with a ref.
func (c *comparison) group(ref resource.Ref) []resource.Observed {
	p := c.scopeOf(ref.Scope())
	if p == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(p.resources, ref,
		func(o resource.Observed, r resource.Ref) int { return resource.CompareRefs(o.Ref, r) })
	if !ok {
		return nil
	}
	return p.resources[i : i+c.run(p.resources[i:], byRef)]
}

// byName orders refs without their stacks.
func byName(a, b *resource.Ref) int {
	if a.Name == b.Name && a.Kind == b.Kind && a.Location == b.Location && a.Provider == b.Provider {
		return 0
	}
	return resource.CompareRefs(a.Bare(), b.Bare())
}

func byRef(a, b *resource.Ref) int { return resource.CompareRefs(*a, *b) }

// run counts the resources at the front that have the same ref or name, and detects an input that
// is not sorted.
func (c *comparison) run(resources []resource.Observed, compare func(a, b *resource.Ref) int) int {
	for n := 1; n < len(resources); n++ {
		switch d := compare(&resources[n-1].Ref, &resources[n].Ref); {
		case d < 0:
			return n
		case d > 0 || order(&resources[n-1], &resources[n]) > 0:
			c.unsorted = true
			return n
		}
	}
	return len(resources)
}

// proven counts the proven resources of a group, which come first, and returns the first; in a
// replacement in progress the old one.
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
