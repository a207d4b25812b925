package comparator

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Evidence is what Bind needs besides the snapshot of a scope.
type Evidence struct {
	// Bindings are those of the scope, ended and former ones too, in any order.
	Bindings []resource.Binding
	Owner    string // the owner mark that ovi writes on resources it creates here
	// Stacks are those configured or recorded here. Marks of another stack are no claim to a ref
	// of these: two stacks may use the same names. Nil: all.
	Stacks []string
	Kinds  func(provider, kind string) (resource.Kind, bool)
}

// Bind determines the ownership of each resource in a snapshot. A resource is Proven only if a
// live binding has its ID; marks never prove ownership, they only classify the others. A bound
// resource, or one whose marks name a resource of this scope, gets that ref; the others keep
// their natural name. ended are the live bindings whose ID another resource has now: theirs was
// deleted outside ovi. Bind does not change the snapshot it is given; the one it returns is
// sorted by ref, proven resources first, then by ID.
func Bind(s resource.Snapshot, e Evidence) (bound resource.Snapshot, ended []resource.Binding) {
	b := newBinder(s.Scope, e)
	bound = s
	bound.Resources = slices.Clone(s.Resources)
	for i := range bound.Resources {
		b.bind(&bound.Resources[i])
	}
	byOrder := func(x, y resource.Observed) int { return order(&x, &y) }
	if !slices.IsSortedFunc(bound.Resources, byOrder) {
		slices.SortStableFunc(bound.Resources, byOrder)
	}
	return bound, b.ended
}

// order sorts by ref, proven resources first, then by ID.
func order(x, y *resource.Observed) int {
	if c := x.Ref.Compare(y.Ref); c != 0 {
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

type kindAndID struct{ kind, id string }

type binder struct {
	Evidence
	scope resource.Scope
	live  map[kindAndID]*resource.Binding
	past  map[kindAndID]*resource.Binding // ended, former or dismissed, the newest of each
	refs  map[resource.Ref]bool           // every recorded ref; built on first use
	kind  resource.Kind                   // the last one looked up
	ended []resource.Binding
}

func newBinder(scope resource.Scope, e Evidence) *binder {
	b := &binder{Evidence: e, scope: scope, live: make(map[kindAndID]*resource.Binding, len(e.Bindings)), past: map[kindAndID]*resource.Binding{}}
	for i := range e.Bindings {
		x := &e.Bindings[i]
		key := kindAndID{x.Ref.Kind, x.ID}
		if x.Live() {
			b.live[key] = x
		} else if old := b.past[key]; old == nil || old.Seq < x.Seq {
			b.past[key] = x
		}
	}
	return b
}

// bind sets the ownership, ref, stack and role of one resource.
func (b *binder) bind(o *resource.Observed) {
	key := kindAndID{o.Ref.Kind, o.ID}
	if x := b.live[key]; x != nil {
		if x.UID == "" || o.UID == "" || x.UID == o.UID {
			b.bindLive(o, x)
			return
		}
		b.ended = append(b.ended, *x)
		b.bindClaim(o)
		return
	}
	switch x := b.past[key]; {
	case x == nil || x.UID != "" && o.UID != "" && x.UID != o.UID:
		b.bindClaim(o)
	case x.Dismissed:
		o.Ownership, o.Ref.Name = resource.Unmanaged, o.ID
	default:
		o.Ownership, o.Ref = resource.Former, x.Ref
	}
}

// bindLive handles a resource whose ID has a live binding.
func (b *binder) bindLive(o *resource.Observed, x *resource.Binding) {
	o.Ref = x.Ref
	k := b.kindOf(o)
	unkeyed := k.ReusedIDs && x.UID == "" && (x.Key == "" || o.Marks.Key != x.Key)
	if o.Unread == "" && unkeyed || !o.Marks.IsZero() && !b.names(x, o.Marks) {
		o.Ownership = resource.Disputed
		return
	}
	o.Ownership, o.Stack, o.Role = resource.Proven, x.Stack, x.Role
}

// names reports whether marks name the binding, or an earlier name of the same resource: a move
// is recorded first and changes the marks later.
func (b *binder) names(x *resource.Binding, m resource.Marks) bool {
	if m.Ref == x.Ref && m.Stack == x.Stack {
		return true
	}
	for i := range b.Bindings {
		old := &b.Bindings[i]
		if old.Ended && old.ID == x.ID && old.Ref == m.Ref && old.Stack == m.Stack {
			return true
		}
	}
	return false
}

// bindClaim handles a resource whose ID has no live binding, by its marks.
func (b *binder) bindClaim(o *resource.Observed) {
	m := o.Marks
	switch {
	case m.IsZero():
		o.Ownership = resource.Unmanaged
		return
	case m.Ref.Scope() != b.scope || m.Ref.Kind != o.Ref.Kind:
		o.Ownership = resource.Copied
		return
	case b.Stacks != nil && !slices.Contains(b.Stacks, m.Stack):
		o.Ownership = resource.Unproven
		return
	case b.onRecord(m.Ref):
		o.Ownership = resource.Copied
	case o.Attested && m.Owner == b.Owner:
		o.Ownership = resource.Attested
	default:
		o.Ownership = resource.Unproven
	}
	o.Ref = m.Ref
}

func (b *binder) onRecord(ref resource.Ref) bool {
	if b.refs == nil {
		b.refs = make(map[resource.Ref]bool, len(b.Bindings))
		for i := range b.Bindings {
			if x := &b.Bindings[i]; !x.Dismissed {
				b.refs[x.Ref] = true
			}
		}
	}
	return b.refs[ref]
}

func (b *binder) kindOf(o *resource.Observed) resource.Kind {
	if b.Kinds != nil && (b.kind.Name != o.Ref.Kind || b.kind.Provider != o.Ref.Provider) {
		b.kind, _ = b.Kinds(o.Ref.Provider, o.Ref.Kind)
		b.kind.Provider, b.kind.Name = o.Ref.Provider, o.Ref.Kind
	}
	return b.kind
}
