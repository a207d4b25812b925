package comparator

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// seen is one scope that was seen, its things sorted by ref.
type seen struct {
	scope   resource.Scope
	objects []resource.Observed
}

// places lists the scopes that were seen. A scope that also failed was not: doubt wins.
func places(w resource.World) []seen {
	out := make([]seen, 0, len(w.Seen))
	for scope, snap := range w.Seen {
		if _, failed := w.Failed[scope]; !failed {
			out = append(out, seen{scope, snap.Objects})
		}
	}
	slices.SortFunc(out, func(a, b seen) int { return a.scope.Compare(b.scope) })
	return out
}

// sort brings the things into the order of their refs, those of one ref by their ids.
func (p *seen) sort() {
	p.objects = slices.Clone(p.objects)
	slices.SortStableFunc(p.objects, func(a, b resource.Observed) int {
		if c := a.Ref.Compare(b.Ref); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// place finds a scope; nil if it was not seen.
func (c *comparison) place(s resource.Scope) *seen {
	i, ok := slices.BinarySearchFunc(c.seen, s, func(p seen, s resource.Scope) int { return p.scope.Compare(s) })
	if !ok {
		return nil
	}
	return &c.seen[i]
}

// group finds everything that carries a ref, in the ref's own scope.
func (c *comparison) group(ref resource.Ref) []resource.Observed {
	p := c.place(ref.Scope())
	if p == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(p.objects, ref, func(o resource.Observed, r resource.Ref) int { return o.Ref.Compare(r) })
	if !ok {
		return nil
	}
	return p.objects[i : i+c.run(p.objects[i:])]
}

// run counts the things at the front that carry one ref, and notes where the order of refs
// is broken.
func (c *comparison) run(objects []resource.Observed) int {
	for n := 1; n < len(objects); n++ {
		switch d := objects[n-1].Ref.Compare(objects[n].Ref); {
		case d < 0:
			return n
		case d > 0 || objects[n-1].ID > objects[n].ID:
			c.disorder = true
			return n
		}
	}
	return len(objects)
}

// marked finds the things of a group that carry ovi's marks. Others have the ref only as
// their natural name.
func marked(group []resource.Observed) (first *resource.Observed, n int) {
	for i := range group {
		if group[i].Managed {
			if n == 0 {
				first = &group[i]
			}
			n++
		}
	}
	return first, n
}
