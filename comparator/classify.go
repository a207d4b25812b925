package comparator

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// pair compares a configured resource with the resources that were observed under its name. Resources of
// other stacks may have that name too.
func (c *comparison) pair(p *observedScope, s *side, w *resource.Desired, group []resource.Observed) {
	own := ownOf(group, s.stack)
	have, n := proven(own)
	d := Difference{Ref: w.Ref, Desired: w, Observed: have}
	switch {
	case c.duplicated(own[:n]):
		d.Type, d.Cause = Conflict, duplicate(w.Ref, own[:n])
		c.out = append(c.out, d)
	case n == 0:
		if d.Observed = blocking(c.kind(w), w, own, group); d.Observed == nil {
			c.missing(p, w)
			return
		}
		c.pairs.blocking = append(c.pairs.blocking, d.Observed)
		d.Type, d.Cause = Conflict, &OwnershipError{Have: *d.Observed}
		c.out = append(c.out, d)
	case unread(own[:n]) != nil:
		have = unread(own[:n])
		d.Type, d.Cause = Unreachable, &UnreadError{have.Ref, have.ID, have.Message}
		c.out = append(c.out, d)
	default:
		known := len(c.unverified)
		d.Requested = c.in.Replace != nil && c.in.Replace(w.Ref)
		d.Renamed = c.renamed[w.Ref]
		d.Changes = c.whole(s, w, have)
		if !c.resume(&d, own[:n]) && len(d.Changes) == 0 && !d.Requested && d.Renamed.IsZero() {
			if d.Advice = advice(c.kind(w), have); d.Advice != "" {
				d.Type = Drifted
				c.out = append(c.out, d)
				return
			}
			if len(c.unverified) == known {
				c.unchanged++
			}
			return
		}
		c.sets(&d, known)
		d.Type = Drifted
		c.out = append(c.out, d)
	}
}

// sets removes the attributes that an action on a resource sets from the ones that were not verified. A new resource
// has all of them.
func (c *comparison) sets(d *Difference, known int) {
	renewed := d.Requested || slices.ContainsFunc(d.Changes, func(x resource.Change) bool {
		return x.Effect == resource.Replace
	})
	for i := known; i < len(c.unverified); i++ {
		c.unverified[i].Paths = slices.DeleteFunc(c.unverified[i].Paths, func(path string) bool {
			return renewed || slices.ContainsFunc(d.Changes, func(x resource.Change) bool {
				return x.Path == path || strings.HasPrefix(x.Path, path+".")
			})
		})
	}
	kept := slices.DeleteFunc(c.unverified[known:], func(u Unverified) bool { return len(u.Paths) == 0 })
	c.unverified = c.unverified[:known+len(kept)]
}

// ownOf returns the resources of one stack in a group, which is sorted by stack.
func ownOf(group []resource.Observed, stack string) []resource.Observed {
	first := 0
	for first < len(group) && group[first].Ref.Stack < stack {
		first++
	}
	end := first
	for end < len(group) && group[end].Ref.Stack == stack {
		end++
	}
	return group[first:end]
}

// blocking returns the resource with which creating a missing one would be in conflict: one that claims to
// be it, one that has its name outside all stacks, or another stack's if the system itself enforces unique
// names, such as for buckets. A resource whose configuration sets another name on its system is in conflict with
// neither. Nil means that there is none.
func blocking(k *kindInfo, w *resource.Desired, own, group []resource.Observed) *resource.Observed {
	if len(own) > 0 {
		return &own[0]
	}
	name := w.Ref.Name
	if k != nil && k.Identifier != "" {
		if v, set := w.Attrs.Get(k.Identifier); set {
			text, _ := v.(resource.String)
			name = string(text)
		}
	}
	for i := range group {
		if o := &group[i]; o.Ref.Stack == "" && name == w.Ref.Name || o.ID == name {
			return o
		}
	}
	return nil
}

// unconfigured classifies the resources of one ref that no source configures.
func (c *comparison) unconfigured(group []resource.Observed) {
	have, n := proven(group)
	if n == 0 || slices.Contains(c.pairs.stacks, have.Ref.Stack) {
		return
	}
	if s := c.ours(have.Ref.Stack); s == nil || s.partial {
		return // of a part of a configuration nothing follows for what it lacks
	}
	d := Difference{Type: Unwanted, Ref: have.Ref, Observed: have}
	if c.duplicated(group[:n]) {
		d.Type, d.Cause = Conflict, duplicate(have.Ref, group[:n])
	} else if o := unread(group[:n]); o != nil {
		d.Type, d.Cause = Unreachable, &UnreadError{o.Ref, o.ID, o.Message}
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
		if len(c.pairs.blocking) > 0 && slices.Contains(c.pairs.blocking, o) {
			continue
		}
		switch o.Ownership {
		case resource.Proven:
		case resource.Disputed:
			c.out = append(c.out, Difference{Type: Conflict, Ref: o.Ref, Observed: o, Cause: &OwnershipError{Have: *o}})
		case resource.Unmanaged, "":
			c.out = append(c.out, Difference{Type: Unmanaged, Ref: o.Ref, Observed: o})
		default:
			c.out = append(c.out, Difference{Type: Unmanaged, Ref: o.Ref, Observed: o, Cause: &OwnershipError{Have: *o}})
		}
	}
}

// unread returns the first resource whose content could not be read; nil if there is none.
func unread(group []resource.Observed) *resource.Observed {
	for i := range group {
		if group[i].Condition == resource.Unreadable {
			return &group[i]
		}
	}
	return nil
}
