package decider

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Kinds returns schemas, which tell the attributes of a resource that hold IDs of others.
type Kinds func(provider, kind string) (resource.Kind, bool)

// identity identifies a resource by the ID that others hold.
type identity struct {
	scope    resource.Scope
	kind, id string
}

// Refers reports whether a resource holds the ID of another one, by the schema of its kind.
func Refers(o *resource.Observed, schema []resource.Attribute, to *resource.Observed) bool {
	return slices.Contains(idsHeld(o, schema), identity{to.Ref.Scope(), to.Ref.Kind, to.ID})
}

// idsHeld lists the IDs of other resources that a resource holds, by the schema of its kind.
func idsHeld(o *resource.Observed, schema []resource.Attribute) []identity {
	return idsIn(o.Ref.Scope(), o.Attrs, &resource.Attribute{Fields: schema}, true)
}

// idsIn lists the resources whose IDs are in the value of an attribute, including Weak references if weak is set.
func idsIn(scope resource.Scope, v resource.Value, schema *resource.Attribute, weak bool) []identity {
	var out []identity
	walkReferences(v, schema, func(value string, s *resource.Attribute) {
		if weak || !s.Weak {
			out = append(out, identity{scope, s.RefKind, value})
		}
	})
	return slices.Clip(out)
}

// walkReferences visits each text in the value of an attribute that names another resource, with its schema.
func walkReferences(v resource.Value, s *resource.Attribute, visit func(value string, s *resource.Attribute)) {
	switch v := v.(type) {
	case resource.String:
		if s.RefKind != "" {
			visit(string(v), s)
		}
	case resource.List:
		for _, e := range v {
			if s.Elem != nil {
				walkReferences(e, s.Elem, visit)
			}
		}
	case resource.Attrs:
		for i := range s.Fields {
			if inner, ok := v.Get(s.Fields[i].Name); ok {
				walkReferences(inner, &s.Fields[i], visit)
			}
		}
	}
}

// resolvedByState returns the configuration of a decision, in which an attribute that refers to other resources and
// does not differ has its observed value. A kind can compare only values.
func resolvedByState(d *Decision) resource.Desired {
	w := *d.Desired
	for _, a := range d.Desired.Attrs {
		differs := func(c resource.Change) bool {
			return c.On == resource.OnAttribute && (c.Path == a.Name || strings.HasPrefix(c.Path, a.Name+".") ||
				strings.HasPrefix(c.Path, a.Name+"["))
		}
		if !resource.HasReferences(a.Value) || slices.ContainsFunc(d.Changes, differs) {
			continue
		}
		if v, ok := d.Observed.Attrs.Get(a.Name); ok {
			w.Attrs = w.Attrs.With(a.Name, v)
		}
	}
	return w
}
