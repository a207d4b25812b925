package comparator

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// memo keeps the last few results: most resources refer to one of a few others, and a search for
// each would cost more than the rest of the comparison.
type memo struct {
	entries [8]answer
	next    int
}

type answer struct {
	ref   resource.Reference
	value resource.Value
	ok    bool
}

// resolve returns the value of a reference to a resource that was observed and keeps its ID,
// because it is neither to be replaced nor deleted, and keeps the value, because no update changes that.
func (c *comparison) resolve(ref resource.Reference) (resource.Value, bool) {
	for i := range c.memo.entries {
		if e := &c.memo.entries[i]; e.ref == ref {
			return e.value, e.ok
		}
	}
	v, ok := c.lookup(ref)
	c.memo.entries[c.memo.next%len(c.memo.entries)] = answer{ref, v, ok}
	c.memo.next++
	return v, ok
}

func (c *comparison) lookup(ref resource.Reference) (resource.Value, bool) {
	group := c.group(ref.Ref)
	o, n := proven(group)
	if n > 1 {
		o = c.standsFor(ref.Ref, group[:n])
	}
	if o == nil || c.replaced[ref.Ref] || c.leaving(o) || c.changesValue(ref, c.updated[ref.Ref]) {
		return nil, false
	}
	return o.Refer(ref.Path)
}

// leaving reports whether a resource is owned by one of the stacks and no longer configured.
func (c *comparison) leaving(o *resource.Observed) bool {
	return c.ours(o.Ref.Stack) != nil && !c.isDesired(o.Ref)
}

func (c *comparison) isDesired(ref resource.Ref) bool { return configuredAs(c.sides, ref) != nil }

func configuredAs(sides []side, ref resource.Ref) *resource.Desired {
	for i := range sides {
		if w, ok := sides[i].find(ref); ok {
			return w
		}
	}
	return nil
}

// isUnreachable reports whether the state of a ref is unknown: it was not found and the observation does
// not cover it, or its content could not be read.
func (c *comparison) isUnreachable(ref resource.Ref) bool {
	if c.in.Unknown != nil && c.in.Unknown(ref) {
		return true
	}
	p := c.scopeOf(ref.Scope())
	if p == nil {
		return true
	}
	if o, n := proven(c.group(ref)); n > 0 {
		return o.Condition == resource.Unreadable
	}
	return p.snapshot.Covers(ref.Kind) != nil
}

// checkDependencies finds resources to create or change that depend on one that is neither
// configured nor observed. A dependency that could not be read is not an error: the decider
// blocks on it.
func (c *comparison) checkDependencies() {
	for i := range c.out {
		d := &c.out[i]
		if d.Type != Missing && d.Type != Drifted {
			continue
		}
		for _, dependency := range d.Desired.Refs() {
			if c.isDesired(dependency) || c.isUnreachable(dependency) {
				continue
			}
			if o, n := proven(c.group(dependency)); n > 0 && !c.leaving(o) {
				continue
			}
			err := &resource.DanglingError{Ref: d.Ref, Dependency: dependency}
			c.errs = append(c.errs, fmt.Errorf("comparator: %s: %w", positionOf(d.Desired, d.Ref.Stack), err))
		}
	}
}
