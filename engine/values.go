package engine

import "github.com/ovi-project/ovi/resource"

// mapRefs replaces each reference in a value. A value without references comes back as it
// is, uncopied.
func mapRefs(v resource.Value, f func(resource.Ref) resource.Value) resource.Value {
	if !holdsRefs(v) {
		return v
	}
	switch v := v.(type) {
	case resource.Reference:
		return f(v.Ref)
	case resource.List:
		out := make(resource.List, len(v))
		for i := range v {
			out[i] = mapRefs(v[i], f)
		}
		return out
	case resource.Attrs:
		out := make(resource.Attrs, len(v))
		for i := range v {
			out[i] = resource.Attr{Name: v[i].Name, Value: mapRefs(v[i].Value, f)}
		}
		return out
	}
	return v
}

func holdsRefs(v resource.Value) bool {
	switch v := v.(type) {
	case resource.Reference:
		return true
	case resource.List:
		for i := range v {
			if holdsRefs(v[i]) {
				return true
			}
		}
	case resource.Attrs:
		for i := range v {
			if holdsRefs(v[i].Value) {
				return true
			}
		}
	}
	return false
}
