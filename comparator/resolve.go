package comparator

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// memo keeps the last few answers: most things refer to one of a few others, and a search
// for each would cost more than all the rest.
type memo struct {
	entries [8]answer
	next    int
}

type answer struct {
	ref   resource.Reference
	value resource.Value
	ok    bool
}

// resolve gives the value of a reference: of a resource that was observed, is not to be
// replaced or deleted, and so keeps its id.
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
	o, n := proven(c.group(ref.Ref))
	if n != 1 || c.replaced[ref.Ref] || c.leaving(o) {
		return nil, false
	}
	return o.Refer(ref.Path)
}

// leaving says that a thing belongs to one of the stacks and is wanted no more.
func (c *comparison) leaving(o *resource.Observed) bool {
	return c.ours(o.Stack) != nil && !c.isDesired(o.Ref)
}

func (c *comparison) isDesired(ref resource.Ref) bool {
	for i := range c.sides {
		if _, ok := c.sides[i].find(ref); ok {
			return true
		}
	}
	return false
}

// isUnreachable reports that nothing is known of a ref: it was not found, and what was read
// does not cover it, or its content could not be read.
func (c *comparison) isUnreachable(ref resource.Ref) bool {
	p := c.scopeOf(ref.Scope())
	if p == nil {
		return true
	}
	if o, n := proven(c.group(ref)); n > 0 {
		return o.Unread != ""
	}
	return p.snapshot.Covers(ref.Kind) != nil
}

// checkNeeds finds wishes to act on that need what is neither wanted nor there. Of what was
// not seen it says nothing: whoever decides must wait for it.
func (c *comparison) checkNeeds() {
	for i := range c.out {
		d := &c.out[i]
		if d.Type != Missing && d.Type != Drifted {
			continue
		}
		for _, need := range d.Desired.Refs() {
			if c.isDesired(need) || c.isUnreachable(need) {
				continue
			}
			if o, n := proven(c.group(need)); n > 0 && !c.leaving(o) {
				continue
			}
			err := &resource.DanglingError{Ref: d.Ref, Dependency: need}
			c.errs = append(c.errs, fmt.Errorf("comparator: %s: %w", positionOf(d.Desired, d.Stack), err))
		}
	}
}
