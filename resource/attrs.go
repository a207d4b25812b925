package resource

import (
	"cmp"
	"slices"
	"strings"
)

// Attrs is an attribute tree: names with their values, sorted by name, each once. As a Value
// it is a nested object.
type Attrs []Attr

// Attr is one named value.
type Attr struct {
	Name  string
	Value Value
}

// NewAttrs sorts the attributes by name. Of duplicates it keeps the last.
func NewAttrs(attrs ...Attr) Attrs { return SortAttrs(slices.Clone(attrs)) }

// SortAttrs is NewAttrs in the memory of the given slice.
func SortAttrs(out []Attr) Attrs {
	slices.SortStableFunc(out, func(a, b Attr) int { return strings.Compare(a.Name, b.Name) })
	w := 0
	for i := range out {
		if i+1 < len(out) && out[i+1].Name == out[i].Name {
			continue
		}
		if w != i {
			out[w] = out[i]
		}
		w++
	}
	return Attrs(out[:w])
}

// AttrsOf sorts a map into Attrs.
func AttrsOf(m map[string]Value) Attrs {
	out := make(Attrs, 0, len(m))
	for k, v := range m {
		out = append(out, Attr{k, v})
	}
	return SortAttrs(out)
}

// Get finds a value by name.
func (a Attrs) Get(name string) (Value, bool) {
	i, ok := slices.BinarySearchFunc(a, name, func(x Attr, n string) int { return cmp.Compare(x.Name, n) })
	if !ok {
		return nil, false
	}
	return a[i].Value, true
}

// at finds a value by its dotted path through nested objects.
func (a Attrs) at(path string) (Value, bool) {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := a.Get(name)
	if !ok || !nested {
		return v, ok
	}
	inner, _ := v.(Attrs)
	return inner.at(rest)
}

// With returns the attributes with the named one set to v.
func (a Attrs) With(name string, v Value) Attrs {
	i, ok := slices.BinarySearchFunc(a, name, func(x Attr, n string) int { return cmp.Compare(x.Name, n) })
	out := slices.Clone(a)
	if ok {
		out[i].Value = v
		return out
	}
	return slices.Insert(out, i, Attr{name, v})
}

// Without returns the attributes without the named one.
func (a Attrs) Without(name string) Attrs {
	return slices.DeleteFunc(slices.Clone(a), func(x Attr) bool { return x.Name == name })
}

// Tags are the user's tags or labels on a resource, sorted by key, each key once. ovi's own
// are not among them: they are Marks.
type Tags []Tag

// Tag is one key with its value.
type Tag struct{ Key, Value string }

// TagsOf sorts a map into Tags.
func TagsOf(m map[string]string) Tags {
	out := make(Tags, 0, len(m))
	for k, v := range m {
		out = append(out, Tag{k, v})
	}
	return SortTags(out)
}

// SortTags sorts tags by key, in place. Of duplicates it keeps the last.
func SortTags(t []Tag) Tags {
	slices.SortStableFunc(t, func(a, b Tag) int { return strings.Compare(a.Key, b.Key) })
	w := 0
	for i := range t {
		if i+1 < len(t) && t[i+1].Key == t[i].Key {
			continue
		}
		if w != i {
			t[w] = t[i]
		}
		w++
	}
	return Tags(t[:w])
}

// Get finds a tag by key.
func (t Tags) Get(key string) (string, bool) {
	i, ok := slices.BinarySearchFunc(t, key, func(x Tag, k string) int { return cmp.Compare(x.Key, k) })
	if !ok {
		return "", false
	}
	return t[i].Value, true
}
