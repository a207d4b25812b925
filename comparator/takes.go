package comparator

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// need is a hold that the difference at an index needs.
type need struct {
	hold resource.Hold
	at   int
}

type holdKey struct{ what, of, name string }

func keyOf(h *resource.Hold) holdKey { return holdKey{h.What, h.Of, h.Name} }

// taking finds who has the exclusive things that differences need.
type taking struct{ *comparison }

// completeTakes sets the Takes of the differences. Kinds without Holds cost nothing.
func completeTakes(x *comparison) {
	c := taking{x}
	needed := map[holdKey][]need{}
	for i := range c.out {
		for _, h := range c.needs(&c.out[i]) {
			k := keyOf(&h)
			for _, n := range needed[k] {
				c.both(n, need{h, i})
			}
			needed[k] = append(needed[k], need{h, i})
		}
	}
	if len(needed) == 0 {
		return
	}
	var kind resource.Kind // the last one that was looked up
	index := map[resource.Ref]int{}
	for i := range c.out {
		if c.out[i].Type != Unmanaged {
			index[c.out[i].Ref] = i
		}
	}
	for i := range c.scopes {
		all := c.scopes[i].resources
		for k := range all {
			o := &all[k]
			if kind.Name != o.Ref.Kind || kind.Provider != o.Ref.Provider {
				kind = kindOf(c.in, o.Ref)
				kind.Provider, kind.Name = o.Ref.Provider, o.Ref.Kind
			}
			if kind.Holds == nil || o.Condition == resource.Unreadable {
				continue
			}
			for _, h := range kind.HeldBy(o) {
				for _, n := range needed[keyOf(&h)] {
					if d := &c.out[n.at]; n.hold.Clashes(h) && (d.Ref != o.Ref || !o.Managed()) {
						leaves := c.givesUp(h, o, index)
						d.Takes = append(d.Takes, Take{Hold: n.hold, By: o.Ref, ID: o.ID, Leaves: leaves})
					}
				}
			}
		}
	}
}

// both notes that two resources which do not have a thing are configured with it.
func (c taking) both(a, b need) {
	if a.at == b.at || !a.hold.Clashes(b.hold) {
		return
	}
	for _, x := range [][2]need{{a, b}, {b, a}} {
		d, other := &c.out[x[0].at], &c.out[x[1].at]
		d.Takes = append(d.Takes, Take{Hold: x[0].hold, By: other.Ref})
	}
}

// needs lists the holds that a resource will have and does not have now.
func (c taking) needs(d *Difference) []resource.Hold {
	if d.Type != Missing && d.Type != Drifted || d.Desired == nil {
		return nil
	}
	k := c.kind(d.Desired)
	if k == nil || k.Holds == nil {
		return nil
	}
	all := c.holdsOf(d.Desired, d.Observed, replaces(d))
	if d.Observed == nil {
		return all
	}
	has := k.HeldBy(d.Observed)
	return slices.DeleteFunc(all, func(h resource.Hold) bool { return slices.Contains(has, h) })
}

// replaces reports whether a difference makes a new resource.
func replaces(d *Difference) bool {
	return d.Type == Missing || d.Requested || resource.Worst(d.Changes) == resource.Replace
}

// holdsOf lists the holds of a configuration. A resource that is not created again keeps its natural name.
func (c taking) holdsOf(w *resource.Desired, have *resource.Observed, creates bool) []resource.Hold {
	k := c.kind(w)
	ref := w.Ref.Bare()
	if have != nil && !creates && !k.Renames {
		ref = have.NaturalRef()
	}
	return k.HeldAs(ref, resolved(c.comparison, &k.Kind, w), w.State)
}

// givesUp reports whether a hold of a resource is free once the difference of the resource is resolved.
func (c taking) givesUp(h resource.Hold, o *resource.Observed, index map[resource.Ref]int) bool {
	i, differs := index[o.Ref]
	if !o.Managed() || !differs {
		return false
	}
	switch d := &c.out[i]; d.Type {
	case Unwanted:
		return !d.Forget && d.GivenTo.IsZero()
	case Drifted:
		return !slices.ContainsFunc(c.holdsOf(d.Desired, o, replaces(d)), h.Clashes)
	}
	return false
}

// Clash names a thing that two resources would have at the same time; false if there is none.
func Clash(some, others []resource.Hold) (string, bool) {
	for _, h := range some {
		for _, o := range others {
			if h.Clashes(o) {
				return h.What + " " + h.Name, true
			}
		}
	}
	return "", false
}
