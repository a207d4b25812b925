package comparator

import (
	"github.com/ovi-project/ovi/resource"
)

// cascade follows replacements: what is replaced gets another id, so whatever refers to it
// differs too; and where it refers by an immutable attribute, it must be replaced as well.
// Each round looks at all wishes once; there are as many rounds as the longest chain.
func (c *comparison) cascade() {
	fresh := map[resource.Ref]bool{}
	for i := range c.out {
		if d := &c.out[i]; d.Type == Drifted && resource.Worst(d.Changes) == resource.Replace {
			fresh[d.Ref] = true
		}
	}
	if len(fresh) == 0 {
		return
	}
	c.replaced = map[resource.Ref]bool{}
	index := make(map[*resource.Desired]int, len(c.out))
	for i := range c.out {
		if w := c.out[i].Desired; w != nil {
			index[w] = i
		}
	}
	for len(fresh) > 0 {
		for ref := range fresh {
			c.replaced[ref] = true
		}
		c.memo = memo{}
		fresh = c.follow(fresh, index)
	}
}

// follow compares again what refers to something in fresh, and gives what must be replaced
// because of it.
func (c *comparison) follow(fresh map[resource.Ref]bool, index map[*resource.Desired]int) map[resource.Ref]bool {
	next := map[resource.Ref]bool{}
	for i := range c.sides {
		s := &c.sides[i]
		for k := range s.desired {
			w := &s.desired[k]
			if !refersTo(w.Attrs, fresh) {
				continue
			}
			if c.compareAgain(s, w, index) && !c.replaced[w.Ref] {
				next[w.Ref] = true
			}
		}
	}
	return next
}

// compareAgain renews the difference of one wish, and says whether it must be replaced.
func (c *comparison) compareAgain(s *side, w *resource.Desired, index map[*resource.Desired]int) bool {
	i, known := index[w]
	if known && c.out[i].Type == Missing {
		c.out[i].Changes = c.createChanges(w)
		return false
	}
	if known && c.out[i].Type != Drifted {
		return false
	}
	there, n := proven(c.group(w.Ref))
	if n != 1 {
		return false
	}
	changes := c.changes(s, w, there)
	switch {
	case known:
		c.out[i].Changes = changes
	case len(changes) > 0:
		c.unchanged--
		index[w] = len(c.out)
		c.out = append(c.out, Difference{
			Type: Drifted, Ref: w.Ref, Stack: s.stack, Desired: w, Observed: there, Changes: changes,
		})
	}
	return resource.Worst(changes) == resource.Replace
}

func refersTo(v resource.Value, refs map[resource.Ref]bool) bool {
	for r := range resource.References(v) {
		if refs[r.Ref] {
			return true
		}
	}
	return false
}
