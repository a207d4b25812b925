package comparator

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Evidence is what Bind knows of a scope besides what was observed.
type Evidence struct {
	// Bindings are those of the scope, ended and former ones too, in any order.
	Bindings []resource.Binding
	Owner    string // the owner mark on what is created here
	Kinds    func(provider, kind string) (resource.Kind, bool)
}

// Bind decides whose each resource of a snapshot is: what the record proves by id is Proven,
// and nothing else is. Marks are claims; they only tell what an unproven resource looks like.
// What is bound, or claims to be a resource of this scope, gets that ref; the rest keeps its
// natural name. ended are the live bindings whose id another resource has now: theirs was
// deleted outside ovi. The snapshot given is not changed; the one returned is sorted by ref,
// proven resources first, then by id.
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

// order sorts by ref, what is proven first, then by id.
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
	refs  map[resource.Ref]bool           // on record in any way; made when first asked for
	kind  resource.Kind                   // the last one asked for
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

// bind fills in the conclusions of one resource.
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

// bindLive concludes of a resource whose id is bound.
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

// names reports that marks name a binding, or an earlier name of the same resource that a
// move has not written anew yet.
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

// bindClaim concludes of a resource whose id is not bound from the marks on it.
func (b *binder) bindClaim(o *resource.Observed) {
	m := o.Marks
	switch {
	case m.IsZero():
		o.Ownership = resource.Unmanaged
		return
	case m.Ref.Scope() != b.scope || m.Ref.Kind != o.Ref.Kind:
		o.Ownership = resource.Copied
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
