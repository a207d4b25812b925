package expansion

import (
	"maps"
	"slices"
	"strings"
)

// Difference is a resource that two configurations have in different ways.
type Difference struct {
	Ref string `json:"ref"`
	// Only is the configuration that alone has the resource: "from" or "to". Empty if both have it.
	Only   string   `json:"only,omitempty"`
	Values []Change `json:"values,omitempty"`
}

// Change is a value that differs. An empty origin means that the configuration does not set it.
type Change struct {
	Path       string `json:"path"`
	From       string `json:"from,omitempty"`
	To         string `json:"to,omitempty"`
	FromOrigin string `json:"from_origin,omitempty"`
	ToOrigin   string `json:"to_origin,omitempty"`
	// Secret reports that the values are not shown, so that the difference is one of their origins.
	Secret bool `json:"secret,omitempty"`
}

// Diff returns the differences between two configurations, sorted. A resource is the same in both if its provider, kind
// and name are; accounts are not compared.
func Diff(from, to []Block) []Difference {
	a, b := byName(from, to), byName(to, from)
	var out []Difference
	for _, key := range slices.Sorted(maps.Keys(a)) {
		x := a[key]
		y, both := b[key]
		if !both {
			out = append(out, Difference{Ref: x.Ref(), Only: "from"})
			continue
		}
		if values := changes(x.flat(), y.flat()); len(values) > 0 {
			out = append(out, Difference{Ref: x.Ref(), Values: values})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		y := b[key]
		if _, both := a[key]; !both {
			out = append(out, Difference{Ref: y.Ref(), Only: "to"})
		}
	}
	slices.SortStableFunc(out, func(x, y Difference) int { return strings.Compare(x.Ref, y.Ref) })
	return out
}

// byName returns blocks by provider, kind and name, and by region where one of the two configurations has a name in
// several.
func byName(blocks, others []Block) map[string]*Block {
	several := map[string]bool{}
	for _, all := range [][]Block{blocks, others} {
		seen := map[string]bool{}
		for i := range all {
			key := all[i].Provider + "/" + all[i].Ref()
			several[key] = several[key] || seen[key]
			seen[key] = true
		}
	}
	out := map[string]*Block{}
	for i := range blocks {
		b := &blocks[i]
		key := b.Provider + "/" + b.Ref()
		if several[key] {
			key += "/" + region(b.Location)
		}
		out[key] = b
	}
	return out
}

func changes(a, b map[string]Value) (out []Change) {
	paths := map[string]bool{}
	for p := range a {
		paths[p] = true
	}
	for p := range b {
		paths[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		x, y := a[p], b[p]
		if x.Text != y.Text || x.Plain != y.Plain {
			out = append(out, Change{
				Path: p, From: x.Text, To: y.Text, FromOrigin: x.Origin, ToOrigin: y.Origin, Secret: x.Secret || y.Secret,
			})
		}
	}
	return out
}
