package comparator

import (
	"github.com/ovi-project/ovi/resource"
)

// cascade follows replacements. A replaced resource gets another ID, so every resource that
// refers to it differs too, and must itself be replaced if the referring attribute is immutable.
// Each round visits every configured resource once; the longest chain gives the number of rounds.
func (c *comparison) cascade() {
	fresh := map[resource.Ref]bool{}
	for i := range c.out {
		if d := &c.out[i]; d.Type == Drifted && d.Replacing == nil && resource.Worst(d.Changes) == resource.Replace {
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

// follow compares again the resources that refer to one in fresh, and returns those that must
// be replaced because of it.
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

// compareAgain updates the difference of one configured resource, and reports whether it must
// be replaced.
func (c *comparison) compareAgain(s *side, w *resource.Desired, index map[*resource.Desired]int) bool {
	i, known := index[w]
	if known && c.out[i].Type == Missing {
		c.out[i].Changes = c.createChanges(w)
		return false
	}
	if known && (c.out[i].Type != Drifted || c.out[i].New != nil) {
		return false
	}
	have, n := proven(c.group(w.Ref))
	if n != 1 {
		return false
	}
	changes := c.changes(s, w, have)
	switch {
	case known:
		d := &c.out[i]
		if d.Changes = changes; d.Replacing == nil {
			break
		}
		if d.Replacing.Reverting || !startsAgain(changes, have) {
			return false
		}
		d.Replacing, d.Reverts = nil, false
	case len(changes) > 0:
		c.unchanged--
		index[w] = len(c.out)
		c.out = append(c.out, Difference{
			Type: Drifted, Ref: w.Ref, Desired: w, Observed: have, Changes: changes,
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
