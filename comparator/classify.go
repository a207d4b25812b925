package comparator

import (
	"github.com/ovi-project/ovi/resource"
)

// pair decides what a wish and the things that carry its ref are to each other.
func (c *comparison) pair(s *side, w *resource.Desired, group []resource.Observed) {
	there, n := marked(group)
	d := Difference{Ref: w.Ref, Stack: s.stack, Wanted: w, There: there}
	switch {
	case n > 1:
		d.Sort, d.Cause = Foreign, duplicate(w.Ref, group)
		c.out = append(c.out, d)
	case n == 0 && len(group) > 1:
		d.Sort, d.There, d.Cause = Foreign, &group[0], duplicate(w.Ref, group)
		c.out = append(c.out, d)
		return
	case n == 0:
		d.Sort, d.There = Foreign, &group[0]
		c.out = append(c.out, d)
		return
	case there.Stack != s.stack:
		d.Sort = Foreign
		c.out = append(c.out, d)
	default:
		if d.Changes = c.changes(s, w, there); len(d.Changes) == 0 {
			c.unchanged++
			break
		}
		d.Sort = Drifted
		c.out = append(c.out, d)
	}
	c.unmanaged(group)
}

// alone decides what things are that nobody wants.
func (c *comparison) alone(group []resource.Observed) {
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
				Sort: Foreign, Ref: own.Ref, Stack: own.Stack, There: own, Cause: duplicate(own.Ref, group),
			})
		}
		return
	}
	if c.ours(there.Stack) != nil {
		c.out = append(c.out, Difference{Sort: Unwanted, Ref: there.Ref, Stack: there.Stack, There: there})
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
			c.out = append(c.out, Difference{Sort: Unmanaged, Ref: o.Ref, There: o})
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
				Sort: Foreign, Ref: o.Ref, Stack: o.Stack, There: o,
				Cause: &MisplacedError{Ref: o.Ref, ID: o.ID, Scope: scope},
			})
		}
	}
}
