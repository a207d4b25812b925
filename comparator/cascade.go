package comparator

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// cascade follows replacements and updates. A replaced resource gets another ID, so every resource that
// refers to it differs too, and must itself be replaced if the referring attribute is immutable; so does what
// refers to a value that an update changes. Each round visits every configured resource once; the longest
// chain gives the number of rounds.
func (c *comparison) cascade() {
	fresh := following{replaced: map[resource.Ref]bool{}, updated: map[resource.Ref][]resource.Change{}}
	for i := range c.out {
		d := &c.out[i]
		switch {
		case d.Type == Drifted && d.Replacing == nil && d.Requested:
			fresh.replaced[d.Ref] = true
		case d.Type != Drifted || d.Replacing != nil || len(d.Changes) == 0:
		case resource.Worst(d.Changes) == resource.Replace:
			fresh.replaced[d.Ref] = true
		default:
			fresh.updated[d.Ref] = d.Changes
		}
	}
	if fresh.empty() {
		return
	}
	c.replaced, c.updated = map[resource.Ref]bool{}, map[resource.Ref][]resource.Change{}
	index := make(map[*resource.Desired]int, len(c.out))
	for i := range c.out {
		if w := c.out[i].Desired; w != nil {
			index[w] = i
		}
	}
	for !fresh.empty() {
		maps.Copy(c.replaced, fresh.replaced)
		maps.Copy(c.updated, fresh.updated)
		c.memo = memo{}
		fresh = c.follow(fresh, index)
	}
}

// following holds the findings of one round, which the next one follows.
type following struct {
	replaced map[resource.Ref]bool
	updated  map[resource.Ref][]resource.Change
}

func (f following) empty() bool { return len(f.replaced)+len(f.updated) == 0 }

// follow compares again the resources that refer to one in fresh, and returns those that must
// be replaced, or are updated otherwise, because of it.
func (c *comparison) follow(fresh following, index map[*resource.Desired]int) following {
	next := following{replaced: map[resource.Ref]bool{}, updated: map[resource.Ref][]resource.Change{}}
	for i := range c.sides {
		s := &c.sides[i]
		for k := range s.desired {
			w := &s.desired[k]
			if !c.follows(w.Attrs, fresh) {
				continue
			}
			before := len(c.changesOf(w, index))
			switch replace := c.compareAgain(s, w, index); {
			case replace && !c.replaced[w.Ref]:
				next.replaced[w.Ref] = true
			case replace:
			default:
				if after := c.changesOf(w, index); len(after) > before {
					next.updated[w.Ref] = after
				}
			}
		}
	}
	return next
}

// changesOf are the changes of a resource that exists.
func (c *comparison) changesOf(w *resource.Desired, index map[*resource.Desired]int) []resource.Change {
	if i, known := index[w]; known && c.out[i].Type == Drifted {
		return c.out[i].Changes
	}
	return nil
}

// follows reports whether a configuration refers to a resource that will be replaced, or to a value that an
// update changes.
func (c *comparison) follows(v resource.Value, fresh following) bool {
	for r := range resource.References(v) {
		if fresh.replaced[r.Ref] || c.changesValue(r, fresh.updated[r.Ref]) {
			return true
		}
	}
	return false
}

// changesValue reports whether changes give another value to what a reference means.
func (c *comparison) changesValue(r resource.Reference, changes []resource.Change) bool {
	if r.Path == "" || len(changes) == 0 {
		return false
	}
	var with []string
	top, _, _ := strings.Cut(r.Path, ".")
	if kind, ok := c.in.Kinds(r.Ref.Provider, r.Ref.Kind); ok {
		for i := range kind.Attrs {
			if kind.Attrs[i].Name == top {
				with = kind.Attrs[i].ChangesWith
			}
		}
	}
	for _, x := range changes {
		changed, _, _ := strings.Cut(x.Path, ".")
		switch {
		case x.On != resource.OnAttribute && x.On != resource.OnState:
		case x.On == resource.OnAttribute && (x.Path == r.Path || strings.HasPrefix(x.Path, r.Path+".") ||
			strings.HasPrefix(r.Path, x.Path+".")):
			return true
		case slices.Contains(with, changed), x.On == resource.OnAttribute && slices.Contains(with, "*"):
			return true
		}
	}
	return false
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
	return resource.Worst(changes) == resource.Replace || known && c.out[i].Requested
}
