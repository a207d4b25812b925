package schema

import (
	"strconv"

	"github.com/ovi-project/ovi/resource"
)

// mapText changes an attribute that is a string. A reference to another resource is not a string yet.
func mapText(a resource.Attrs, name string, f func(string) string) resource.Attrs {
	if s, ok := a.Text(name); ok {
		return a.With(name, resource.String(f(s)))
	}
	return a
}

// mapObject changes an attribute that is an object; an empty one is dropped.
func mapObject(a resource.Attrs, name string, f func(resource.Attrs) resource.Attrs) resource.Attrs {
	v, _ := a.Get(name)
	o, ok := v.(resource.Attrs)
	if !ok {
		return a
	}
	if o = f(o); len(o) == 0 {
		return a.Without(name)
	}
	return a.With(name, o)
}

// mapElements changes the objects of a set, which is sorted again; an empty one is dropped.
func mapElements(a resource.Attrs, name string, f func(e resource.Attrs, path string) resource.Attrs) resource.Attrs {
	v, _ := a.Get(name)
	in, ok := v.(resource.List)
	if !ok {
		return a
	}
	if len(in) == 0 {
		return a.Without(name)
	}
	out := make(resource.List, len(in))
	for i, e := range in {
		out[i] = e
		if o, ok := e.(resource.Attrs); ok {
			out[i] = f(o, name+"["+strconv.Itoa(i)+"]")
		}
	}
	return a.With(name, resource.SortSet(out))
}

// dropEmpty drops lists and maps without elements: they mean the same as none.
func dropEmpty(a resource.Attrs, names ...string) resource.Attrs {
	for _, name := range names {
		switch v, _ := a.Get(name); v := v.(type) {
		case resource.List:
			if len(v) == 0 {
				a = a.Without(name)
			}
		case resource.Attrs:
			if len(v) == 0 {
				a = a.Without(name)
			}
		}
	}
	return a
}
