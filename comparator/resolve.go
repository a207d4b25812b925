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
	ref resource.Ref
	id  string
	ok  bool
}

// resolve gives the id of the thing that carries a ref now and will keep it: it was seen, it
// is not to be replaced, and not on its way out.
func (c *comparison) resolve(ref resource.Ref) (string, bool) {
	for i := range c.memo.entries {
		if e := &c.memo.entries[i]; e.ref == ref {
			return e.id, e.ok
		}
	}
	id, ok := c.lookup(ref)
	c.memo.entries[c.memo.next%len(c.memo.entries)] = answer{ref, id, ok}
	c.memo.next++
	return id, ok
}

func (c *comparison) lookup(ref resource.Ref) (string, bool) {
	o, n := marked(c.group(ref))
	if n != 1 || c.replaced[ref] || c.leaving(o) {
		return "", false
	}
	return o.ID, true
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

func (c *comparison) isUnreachable(ref resource.Ref) bool { return c.scopeOf(ref.Scope()) == nil }

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
			if o, n := marked(c.group(need)); n > 0 && !c.leaving(o) {
				continue
			}
			err := &resource.DanglingError{Ref: d.Ref, Dependency: need}
			c.errs = append(c.errs, fmt.Errorf("comparator: %s: %w", positionOf(d.Desired, d.Stack), err))
		}
	}
}
