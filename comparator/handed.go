package comparator

import "github.com/ovi-project/ovi/resource"

// markWaiting marks the leftovers that wait for another stack.
func (r renaming) markWaiting(all []Difference) {
	for i := range all {
		if d := &all[i]; d.Type == Unwanted {
			d.GivenTo = r.waiting[d.Ref]
		}
	}
}

// addHanded adds the differences of the resources that are handed over. They have no configuration here, so only their
// marks change.
func (r renaming) addHanded(c *comparison) {
	for _, h := range r.handed {
		o, w := *h.Observed, &resource.Desired{Ref: h.to}
		o.Rename(h.to)
		d := Difference{Type: Drifted, Ref: h.to, Desired: w, Observed: &o, Renamed: h.Ref}
		if k := c.kind(w); k != nil && k.Carrier == resource.Anytime {
			d.Changes = c.marks(&side{stack: h.to.Stack}, w, &o)
		}
		c.out = append(c.out, d)
	}
	if len(r.handed) > 0 {
		c.sort()
	}
}
