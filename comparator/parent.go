package comparator

import "github.com/ovi-project/ovi/resource"

// parents finds the parent of the resources that a value names: the VPC of its subnets.
type parents struct {
	knownID func(resource.Reference) (resource.Value, bool)
	seenIn  func(resource.Scope) []resource.Observed
	blockOf func(resource.Ref) *resource.Desired // nil if it is not configured
}

// moves reports whether a change names resources of another parent than before. The resource itself stays with its
// parent, so that it has to be replaced.
func (p parents) moves(schema []resource.Attribute, s resource.Scope, change *resource.Change) bool {
	for i := range schema {
		a := &schema[i]
		if a.Name != change.Path || change.On != resource.OnAttribute {
			continue
		}
		for a.Elem != nil {
			a = a.Elem
		}
		if a.Parent == "" {
			return false
		}
		was, seen := p.parentIn(change.From, a, s)
		next, found := p.parentIn(change.To, a, s)
		return seen && found && !resource.Equal(was, next)
	}
	return false
}

// parentIn returns the parent of the first resource that a value names, of which all have the same: an ID, or a
// reference if the ID is known after apply.
func (p parents) parentIn(v resource.Value, a *resource.Attribute, s resource.Scope) (resource.Value, bool) {
	switch v := v.(type) {
	case resource.List:
		for _, e := range v {
			if parent, found := p.parentIn(e, a, s); found {
				return parent, true
			}
		}
	case resource.Reference:
		w := p.blockOf(v.Ref)
		if w == nil {
			return p.parentSeen(a, v.Ref.Scope(), func(o *resource.Observed) bool { return o.Ref == v.Ref && o.Managed() })
		}
		parent, set := w.Attrs.Get(a.Parent)
		if r, is := parent.(resource.Reference); is {
			if id, known := p.knownID(r); known {
				return id, true
			}
		}
		return parent, set
	case resource.String:
		return p.parentSeen(a, s, func(o *resource.Observed) bool { return o.Ref.Kind == a.RefKind && o.ID == string(v) })
	}
	return nil, false
}

func (p parents) parentSeen(
	a *resource.Attribute, s resource.Scope, is func(*resource.Observed) bool,
) (resource.Value, bool) {
	all := p.seenIn(s)
	for i := range all {
		if is(&all[i]) {
			return all[i].Attrs.Get(a.Parent)
		}
	}
	return nil, false
}
