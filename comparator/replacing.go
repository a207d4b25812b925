package comparator

import "github.com/ovi-project/ovi/resource"

// Replacing is a replacement in progress, as recorded and as observed.
type Replacing struct {
	Desired   string // digest of the configuration that it applies
	Old       string // ID of the resource that it replaces
	Strategy  resource.Strategy
	Reverting bool // recorded: it goes back
	Used      bool // something refers to the new resource, so there is no way back
}

// replacing returns the replacement in progress of a ref.
func (c *comparison) replacing(ref resource.Ref) (Replacing, bool) {
	if c.in.Replacing == nil {
		return Replacing{}, false
	}
	return c.in.Replacing(ref)
}

// pairOf returns the old and the new resource of a replacement from the proven resources of a ref.
func pairOf(group []resource.Observed, r Replacing) (old, created *resource.Observed) {
	for i := range group {
		if o := &group[i]; o.ID == r.Old {
			old = o
		} else {
			created = o
		}
	}
	return old, created
}

// duplicated reports whether several proven resources have one ref without being the old and the
// new one of a replacement in progress.
func (c *comparison) duplicated(group []resource.Observed) bool {
	if len(group) < 2 {
		return false
	}
	r, open := c.replacing(group[0].Ref)
	old, created := pairOf(group, r)
	return !open || len(group) > 2 || old == nil || created == nil
}

// goesBack reports whether a replacement with both resources goes back: it is recorded, the new
// resource is failing, or the configuration has changed since.
func goesBack(w *resource.Desired, created *resource.Observed, r Replacing) bool {
	return !r.Used && (r.Reverting || created.Health == resource.Failing || w.Digest() != r.Desired)
}

// resume completes the difference of a configured resource whose replacement is in progress, given
// the proven resources of its ref. It reports whether that leaves something to do.
func (c *comparison) resume(d *Difference, group []resource.Observed) bool {
	r, open := c.replacing(d.Ref)
	if !open {
		return false
	}
	old, created := pairOf(group, r)
	switch {
	case old != nil && created != nil:
		d.New, d.Reverts = created, goesBack(d.Desired, created, r)
	case old == nil && len(d.Changes) > 0:
		return false // its old resource is gone; what is left is compared as any other
	case old == nil: // only its end is not recorded
	case !r.Reverting && (d.Requested || startsAgain(d.Changes, old)):
		return false
	default:
		d.Reverts = true
	}
	kept := r
	d.Replacing = &kept
	return true
}

// startsAgain reports whether a replacement whose new resource does not exist is no reason to go
// back: it is needed still, or nothing was done yet and another change is.
func startsAgain(changes []resource.Change, old *resource.Observed) bool {
	return len(changes) > 0 && (!old.Aside() || resource.Worst(changes) == resource.Replace)
}

// standsFor returns the resource that references to a ref get while two are bound to it: the old
// one if the replacement goes back, else the new one. Nil: no replacement is in progress.
func (c *comparison) standsFor(ref resource.Ref, group []resource.Observed) *resource.Observed {
	if c.duplicated(group) {
		return nil
	}
	r, _ := c.replacing(ref)
	old, created := pairOf(group, r)
	for i := range c.sides {
		if w, found := c.sides[i].find(ref); found && !goesBack(w, created, r) {
			return created
		}
	}
	return old
}
