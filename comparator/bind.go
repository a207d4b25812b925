package comparator

import (
	"github.com/ovi-project/ovi/resource"
)

// Evidence is the input of Bind besides the snapshot of a scope.
type Evidence struct {
	// Bindings are the bindings of the scope, ended and former ones too, sorted by ref like the ledger's.
	// In another order the result is the same, only later.
	Bindings []resource.Binding
	Owner    string // the owner mark that ovi writes on resources it creates here
	Kinds    func(provider, kind string) (resource.Kind, bool)
}

// Bind determines the ownership of each resource in a snapshot. A resource is Proven only if a
// live binding has its ID; marks never prove ownership, they only classify the others. A bound
// resource, or one whose marks name a resource of this scope, gets that ref; the others keep
// their natural name. ended are the live bindings whose ID another resource has now: theirs was
// deleted outside ovi.
//
// Bind changes the resources in place, and leaves them sorted by ref, proven resources first,
// then by ID: a copy would double what a large scope takes. It reads nothing that it writes, so
// a bound snapshot can be bound again, by other bindings.
func Bind(s resource.Snapshot, e Evidence) (ended []resource.Binding) {
	b := &binder{Evidence: e, scope: s.Scope, index: bindingIndex{bindings: e.Bindings}}
	bound := make([]int32, len(s.Resources))
	for i := range s.Resources {
		bound[i] = b.bind(&s.Resources[i])
	}
	sortBound(s.Resources, bound)
	return b.ended
}

type binder struct {
	Evidence
	scope resource.Scope
	index bindingIndex
	refs  map[resource.Ref]bool // every recorded ref; built on first use
	kind  resource.Kind         // the last one looked up
	ended []resource.Binding
}

// bind sets the ownership, ref and role of one resource, and returns the binding that it
// has; -1 means none.
func (b *binder) bind(o *resource.Observed) int32 {
	o.Unbind()
	live, past := b.index.of(o)
	switch {
	case live >= 0 && sameUID(&b.Bindings[live], o):
		b.bindLive(o, &b.Bindings[live])
		return live
	case live >= 0:
		b.ended = append(b.ended, b.Bindings[live])
		b.bindClaim(o)
	case past < 0 || !sameUID(&b.Bindings[past], o):
		b.bindClaim(o)
	case b.Bindings[past].Dismissed:
		o.Bind(resource.Unmanaged, "", o.ID)
	default:
		was := &b.Bindings[past].Ref
		o.Bind(resource.Former, was.Stack, was.Name)
	}
	return -1
}

// sameUID reports whether nothing tells the resource from the bound one of the same ID.
func sameUID(x *resource.Binding, o *resource.Observed) bool {
	return x.UID == "" || o.UID == "" || x.UID == o.UID
}

// bindLive handles a resource whose ID has a live binding.
func (b *binder) bindLive(o *resource.Observed, x *resource.Binding) {
	if b.Kinds != nil && (b.kind.Name != o.Ref.Kind || b.kind.Provider != o.Ref.Provider) {
		b.kind, _ = b.Kinds(o.Ref.Provider, o.Ref.Kind)
		b.kind.Provider, b.kind.Name = o.Ref.Provider, o.Ref.Kind
	}
	unkeyed := b.kind.ReusedIDs && x.UID == "" && (x.Key == "" || o.Marks.Key != x.Key)
	if o.Condition != resource.Unreadable && unkeyed || !o.Marks.IsZero() && !b.names(x, &o.Marks) {
		o.Bind(resource.Disputed, x.Ref.Stack, x.Ref.Name)
		return
	}
	o.Bind(resource.Proven, x.Ref.Stack, x.Ref.Name)
	o.Role, o.Adopted = x.Role, x.Adopted
}

// names reports whether marks name the binding, or an earlier name of the same resource: a move
// is recorded first and changes the marks later.
func (b *binder) names(x *resource.Binding, m *resource.Marks) bool {
	if m.Ref == x.Ref {
		return true
	}
	for i := b.index.last(x.ID); i >= 0; i = b.index.before[i] {
		if old := &b.Bindings[i]; old.Ended && old.Ref == m.Ref {
			return true
		}
	}
	return false
}

// bindClaim handles a resource whose ID has no live binding, by its marks.
func (b *binder) bindClaim(o *resource.Observed) {
	m := &o.Marks
	switch {
	case m.IsZero():
		o.Ownership = resource.Unmanaged
	case m.Ref.Scope() != b.scope || m.Ref.Kind != o.Ref.Kind:
		o.Ownership = resource.Copied
	case m.Ref.Stack == "":
		o.Ownership = resource.Unproven
	case b.onRecord(m.Ref):
		o.Bind(resource.Copied, m.Ref.Stack, m.Ref.Name)
	case o.Attested && m.Owner == b.Owner:
		o.Bind(resource.Attested, m.Ref.Stack, m.Ref.Name)
	default:
		o.Bind(resource.Unproven, m.Ref.Stack, m.Ref.Name)
	}
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
