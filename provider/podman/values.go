package podman

import (
	"strconv"

	"github.com/ovi-project/ovi/resource"
)

func textOf(a resource.Attrs, name string) (string, bool) {
	v, _ := a.Get(name)
	s, ok := v.(resource.String)
	return string(s), ok
}

func intOf(a resource.Attrs, name string) (int64, bool) {
	v, _ := a.Get(name)
	n, ok := v.(resource.Int)
	return int64(n), ok
}

func boolOf(a resource.Attrs, name string) bool {
	v, _ := a.Get(name)
	b, _ := v.(resource.Bool)
	return bool(b)
}

func listOf(a resource.Attrs, name string) resource.List {
	v, _ := a.Get(name)
	l, _ := v.(resource.List)
	return l
}

func attrsOf(a resource.Attrs, name string) resource.Attrs {
	v, _ := a.Get(name)
	o, _ := v.(resource.Attrs)
	return o
}

// textsOf are the strings of a list.
func textsOf(a resource.Attrs, name string) []string {
	var out []string
	for _, v := range listOf(a, name) {
		if s, ok := v.(resource.String); ok {
			out = append(out, string(s))
		}
	}
	return out
}

// stringsOf are the strings of a map.
func stringsOf(a resource.Attrs, name string) map[string]string {
	out := map[string]string{}
	for _, x := range attrsOf(a, name) {
		if s, ok := x.Value.(resource.String); ok {
			out[x.Name] = string(s)
		}
	}
	return out
}

// mapText changes an attribute that is a string. What refers to another resource is not one yet.
func mapText(a resource.Attrs, name string, f func(string) string) resource.Attrs {
	if s, ok := textOf(a, name); ok {
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
