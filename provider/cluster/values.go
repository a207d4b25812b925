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
