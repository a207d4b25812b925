package cluster

import "github.com/ovi-project/ovi/resource"

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

// textsOf are the strings of a map; never nil.
func textsOf(a resource.Attrs, name string) map[string]string {
	out := map[string]string{}
	v, _ := a.Get(name)
	all, _ := v.(resource.Attrs)
	for _, x := range all {
		if s, ok := x.Value.(resource.String); ok {
			out[x.Name] = string(s)
		}
	}
	return out
}
