package resource

import (
	"iter"
	"slices"
)

// References yields every Reference in a value, in order, repeated ones too.
func References(v Value) iter.Seq[Reference] {
	return func(yield func(Reference) bool) { walkRefs(v, yield) }
}

// walkRefs calls f for each Reference until f returns false; it reports whether it got to the
// end.
func walkRefs(v Value, f func(Reference) bool) bool {
	var parts []Value
	switch v := v.(type) {
	case Reference:
		return f(v)
	case List:
		parts = v
	case Text:
		parts = v
	case Attrs:
		for i := range v {
			if !walkRefs(v[i].Value, f) {
				return false
			}
		}
	}
	for i := range parts {
		if !walkRefs(parts[i], f) {
			return false
		}
	}
	return true
}

// HasReferences reports whether a value holds any Reference, or a Text, whose parts are not joined yet.
func HasReferences(v Value) bool {
	switch v := v.(type) {
	case Reference, Text:
		return true
	case List:
		return slices.ContainsFunc(v, HasReferences)
	case Attrs:
		return slices.ContainsFunc(v, func(a Attr) bool { return HasReferences(a.Value) })
	}
	return false
}

// MapRefs returns the value with every Reference replaced by the result of f. A value without References is
// returned unchanged and uncopied. A Text stays a Text: Kind.Resolve joins its parts.
func MapRefs(v Value, f func(Reference) Value) Value {
	if !HasReferences(v) {
		return v
	}
	switch v := v.(type) {
	case Reference:
		return f(v)
	case List:
		out := make(List, len(v))
		for i := range v {
			out[i] = MapRefs(v[i], f)
		}
		return out
	case Text:
		out := make(Text, len(v))
		for i := range v {
			out[i] = MapRefs(v[i], f)
		}
		return out
	case Attrs:
		out := make(Attrs, len(v))
		for i := range v {
			out[i] = Attr{v[i].Name, MapRefs(v[i].Value, f)}
		}
		return out
	}
	return v
}

// AppendRefs appends the refs of all References in a value, in order, repeated ones too.
func AppendRefs(dst []Ref, v Value) []Ref {
	walkRefs(v, func(r Reference) bool {
		dst = append(dst, r.Ref)
		return true
	})
	return dst
}

// Refs lists what the resource depends on: DependsOn and the References in its attributes,
// each once, in order.
func (d *Desired) Refs() []Ref {
	var out []Ref
	add := func(r Ref) {
		for _, o := range out {
			if o == r {
				return
			}
		}
		out = append(out, r)
	}
	for _, r := range d.DependsOn {
		add(r)
	}
	for _, r := range AppendRefs(nil, d.Attrs) {
		add(r)
	}
	return out
}

// Refer returns the value of a Reference with this path: the ID for "", else the attribute at
// the dotted path. False: the resource has none, or it is pending and the attribute may still
// change.
func (o *Observed) Refer(path string) (Value, bool) {
	if path == "" {
		return String(o.ID), o.ID != ""
	}
	if o.Health == Pending {
		return nil, false
	}
	v, ok := o.Attrs.at(path)
	return v, ok && v != nil
}
