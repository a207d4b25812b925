package comparator

import (
	"github.com/ovi-project/ovi/resource"
)

// pair decides what a wish and the things that carry its ref are to each other.
func (c *comparison) pair(s *side, w *resource.Desired, group []resource.Observed) {
	there, n := marked(group)
	d := Difference{Ref: w.Ref, Stack: s.stack, Desired: w, Observed: there}
	switch {
	case n > 1:
		d.Type, d.Cause = Conflict, duplicate(w.Ref, group)
		c.out = append(c.out, d)
	case n == 0 && len(group) > 1:
		d.Type, d.Observed, d.Cause = Conflict, &group[0], duplicate(w.Ref, group)
		c.out = append(c.out, d)
		return
	case n == 0:
		d.Type, d.Observed = Conflict, &group[0]
		c.out = append(c.out, d)
		return
	case there.Stack != s.stack:
		d.Type = Conflict
		c.out = append(c.out, d)
	default:
		if d.Changes = c.changes(s, w, there); len(d.Changes) == 0 {
			c.unchanged++
			break
		}
		d.Type = Drifted
		c.out = append(c.out, d)
	}
	c.unmanaged(group)
}

// unconfigured decides what things are that nobody wants.
func (c *comparison) unconfigured(group []resource.Observed) {
	c.unmanaged(group)
	there, n := marked(group)
	if n == 0 {
		return
	}
	if n > 1 {
		// Which of them the record speaks of is not known: taking either away could be
		// taking away the wrong one.
		if own := c.firstOurs(group); own != nil {
			c.out = append(c.out, Difference{
				Type: Conflict, Ref: own.Ref, Stack: own.Stack, Observed: own, Cause: duplicate(own.Ref, group),
			})
		}
		return
	}
	if c.ours(there.Stack) != nil {
		c.out = append(c.out, Difference{Type: Unwanted, Ref: there.Ref, Stack: there.Stack, Observed: there})
	}
}

func (c *comparison) firstOurs(group []resource.Observed) *resource.Observed {
	for i := range group {
		if group[i].Managed && c.ours(group[i].Stack) != nil {
			return &group[i]
		}
	}
	return nil
}

func (c *comparison) unmanaged(group []resource.Observed) {
	for i := range group {
		if o := &group[i]; !o.Managed {
			c.out = append(c.out, Difference{Type: Unmanaged, Ref: o.Ref, Observed: o})
		}
	}
}

// misplaced reports things of ours that carry the ref of another place: most likely copies
// whose tags were copied with them. They are nobody's to change or take away.
func (c *comparison) misplaced(group []resource.Observed, scope resource.Scope) {
	c.unmanaged(group)
	for i := range group {
		if o := &group[i]; o.Managed && c.ours(o.Stack) != nil {
			c.out = append(c.out, Difference{
				Type: Conflict, Ref: o.Ref, Stack: o.Stack, Observed: o,
				Cause: &MisplacedError{Ref: o.Ref, ID: o.ID, Scope: scope},
			})
		}
	}
}
