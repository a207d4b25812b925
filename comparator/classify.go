package comparator

import (
	"github.com/ovi-project/ovi/resource"
)

// pair compares a configured resource with what was observed under its ref.
func (c *comparison) pair(s *side, w *resource.Desired, group []resource.Observed) {
	have, n := proven(group)
	d := Difference{Ref: w.Ref, Stack: s.stack, Desired: w, Observed: have}
	switch {
	case c.duplicated(group[:n]):
		d.Type, d.Cause = Conflict, duplicate(w.Ref, group[:n])
		c.out = append(c.out, d)
	case n == 0:
		d.Type, d.Observed = Conflict, &group[0]
		d.Cause = &OwnershipError{*d.Observed, s.stack}
		c.out = append(c.out, d)
		group = group[1:]
	case have.Stack != s.stack:
		d.Type, d.Cause = Conflict, &OwnershipError{*have, s.stack}
		c.out = append(c.out, d)
	case unread(group[:n]) != nil:
		have = unread(group[:n])
		d.Type, d.Cause = Unreachable, &UnreadError{have.Ref, have.ID, have.Unread}
		c.out = append(c.out, d)
	default:
		known := len(c.unverified)
		if d.Changes = c.changes(s, w, have); !c.resume(&d, group[:n]) && len(d.Changes) == 0 {
			if len(c.unverified) == known {
				c.unchanged++
			}
			break
		}
		c.unverified = c.unverified[:known] // it counts as changed
		d.Type = Drifted
		c.out = append(c.out, d)
	}
	c.unowned(group)
}

// unconfigured classifies resources that no source configures.
func (c *comparison) unconfigured(group []resource.Observed) {
	c.unowned(group)
	have, n := proven(group)
	if n == 0 {
		return
	}
	if s := c.ours(have.Stack); s == nil || s.partial {
		return // of a part of a configuration nothing follows for what it lacks
	}
	d := Difference{Type: Unwanted, Ref: have.Ref, Stack: have.Stack, Observed: have}
	if c.duplicated(group[:n]) {
		d.Type, d.Cause = Conflict, duplicate(have.Ref, group[:n])
	} else if o := unread(group[:n]); o != nil {
		d.Type, d.Cause = Unreachable, &UnreadError{o.Ref, o.ID, o.Unread}
	} else if r, open := c.replacing(have.Ref); open && n > 1 {
		_, d.New = pairOf(group[:n], r)
	}
	c.out = append(c.out, d)
}

// unowned reports the resources that the audit log does not prove. A bound resource whose marks
// name another one is a conflict, which needs an operator; the others are only listed.
func (c *comparison) unowned(group []resource.Observed) {
	for i := range group {
		o := &group[i]
		switch o.Ownership {
		case resource.Proven:
		case resource.Disputed:
			c.out = append(c.out, Difference{Type: Conflict, Ref: o.Ref, Observed: o, Cause: c.unprovenOf(o)})
		case resource.Unmanaged, "":
			c.out = append(c.out, Difference{Type: Unmanaged, Ref: o.Ref, Observed: o})
		default:
			c.out = append(c.out, Difference{Type: Unmanaged, Ref: o.Ref, Observed: o, Cause: c.unprovenOf(o)})
		}
	}
}

// unprovenOf is the cause of a conflict with a resource that no source configures.
func (c *comparison) unprovenOf(o *resource.Observed) error {
	e := &OwnershipError{Have: *o}
	if c.ours(o.Marks.Stack) != nil {
		e.Stack = o.Marks.Stack
	}
	return e
}

// unread returns the first resource whose content could not be read; nil if there is none.
func unread(group []resource.Observed) *resource.Observed {
	for i := range group {
		if group[i].Unread != "" {
			return &group[i]
		}
	}
	return nil
}
