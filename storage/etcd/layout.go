package etcd

import (
	"strconv"
	"strings"
)

// format is the version of the layout in doc.go.
const format = 1

// layout names the keys of a store.
type layout struct{ prefix string }

func (s layout) control(name string) string { return s.prefix + "c/" + name }
func (s layout) data(key string) string     { return s.prefix + "d/" + key }
func (s layout) key(k []byte) string        { return strings.TrimPrefix(string(k), s.prefix+"d/") }

// aliveID is the large commit whose writer keeps this key alive.
func (s layout) aliveID(key string) (string, bool) {
	return strings.CutPrefix(key, s.prefix+"s/alive/")
}

// partID is the large commit the key is a part of.
func (s layout) partID(key string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(key, s.prefix+"s/"), "/")
	return id
}

func (s layout) partKey(id string, n int) string {
	return s.prefix + "s/" + id + "/" + strconv.Itoa(n)
}
