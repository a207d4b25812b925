package comparator

import (
	"cmp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// bindingIndex finds the bindings of an ID. Where IDs or natural names are the recorded names,
// resources and bindings are in one order, and the next binding is most often the one; an index
// of all is made when that fails first.
type bindingIndex struct {
	bindings []resource.Binding
	next     int
	byID     map[string]int32 // the last binding with that ID
	before   []int32          // of each binding: the one before it with its ID; -1 means none
}

// of returns the live binding of a resource's kind and ID, or else the newest that is not live;
// -1 means none.
func (x *bindingIndex) of(o *resource.Observed) (live, past int32) {
	if live := x.guess(o); live >= 0 {
		return live, -1
	}
	past = -1
	for i := x.last(o.ID); i >= 0; i = x.before[i] {
		switch b := &x.bindings[i]; {
		case b.Ref.Kind != o.Ref.Kind:
		case b.Live():
			return i, -1
		case past < 0 || x.bindings[past].Seq < b.Seq:
			past = i
		}
	}
	return -1, past
}

// guess returns the live binding of the resource if it has the resource's natural name.
func (x *bindingIndex) guess(o *resource.Observed) int32 {
	for ; x.next < len(x.bindings); x.next++ {
		b := &x.bindings[x.next]
		switch c := cmp.Or(strings.Compare(b.Ref.Kind, o.Ref.Kind), strings.Compare(b.Ref.Name, o.Ref.Name)); {
		case c > 0:
			return -1
		case c == 0 && b.ID == o.ID && b.Live():
			return int32(x.next)
		}
	}
	return -1
}

// last is the last binding with an ID; before leads to the others. -1 means that there is none.
func (x *bindingIndex) last(id string) int32 {
	if x.byID == nil {
		x.byID, x.before = make(map[string]int32, len(x.bindings)), make([]int32, len(x.bindings))
		for i := range x.bindings {
			own := x.bindings[i].ID
			before, ok := x.byID[own]
			if !ok {
				before = -1
			}
			x.before[i], x.byID[own] = before, int32(i)
		}
	}
	if i, ok := x.byID[id]; ok {
		return i
	}
	return -1
}

// order sorts by ref, proven resources first, then by ID.
func order(x, y *resource.Observed) int {
	if c := resource.CompareRefs(x.Ref, y.Ref); c != 0 {
		return c
	}
	if x.Managed() != y.Managed() {
		if x.Managed() {
			return -1
		}
		return 1
	}
	return strings.Compare(x.ID, y.ID)
}
