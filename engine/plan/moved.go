package plan

import (
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// movedAway returns, for the comparator, the name that the resource under a name was given; nil if there is no record
// of a rename.
func (m *memory) movedAway() func(resource.Ref) (resource.Ref, bool) {
	if len(m.names.Moves) == 0 {
		return nil
	}
	return func(ref resource.Ref) (resource.Ref, bool) {
		first, moved := m.names.Moves[ref]
		if !moved || first.ByIdentity || first.To.IsZero() {
			return resource.Ref{}, false
		}
		last := first
		for range m.names.Moves { // it may have been renamed again
			next, again := m.names.Moves[last.To]
			if !again || next.ID != first.ID || next.To.IsZero() {
				break
			}
			last = next
		}
		return last.To, last.To != ref
	}
}

// renamed reports, for the comparator, whether a rename is recorded.
func (m *memory) renamed(from, to resource.Ref) bool {
	x, moved := m.names.Moves[from]
	return moved && (x.To == to || slices.Contains(x.Earlier, to))
}

// arrivedFrom returns, for the comparator, the ref in another stack that a resource was moved from, unless its new
// stack has configured it since; nil if there is no such resource, or a destroy of the stack was asked for.
func (m *memory) arrivedFrom(destroys bool) func(resource.Ref) (resource.Ref, bool) {
	some := func(x rows.Moved) bool { return !x.Arrived.IsZero() }
	if destroys || !slices.ContainsFunc(slices.Collect(maps.Values(m.names.Moves)), some) {
		return nil
	}
	return func(ref resource.Ref) (resource.Ref, bool) {
		x := m.names.Moves[ref]
		return x.Arrived, some(x)
	}
}

// exchanged returns, for the comparator, the name with which the name of a resource was exchanged, if the configuration
// under the name has not been edited since.
func (m *memory) exchanged(w *resource.Desired) (resource.Ref, bool) {
	at := m.names.Moves[w.Ref]
	if at.Exchanged.IsZero() || at.Desired == "" || m.names.Moves[at.Exchanged].Exchanged != w.Ref {
		return resource.Ref{}, false
	}
	now, _ := m.applied(w.Ref)
	return at.Exchanged, now.Desired != at.Desired && w.Digest() == at.Desired
}
