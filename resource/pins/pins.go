// Package pins has the resources of others that a configuration refers to, as a plan found them. They are part of the
// plan: what is approved and applied refers to these resources and to no other ones.
package pins

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Pin is the ID that a lookup found.
type Pin struct {
	Ref resource.Ref `json:"ref"` // the name of the lookup in its stack
	ID  string       `json:"id"`
}

// AppendJSON appends the identity of a pin for a digest.
func (p Pin) AppendJSON(b []byte) []byte {
	return resource.AppendJSON(resource.AppendJSON(b, resource.String(p.Ref.String())), resource.String(p.ID))
}

// Change is a lookup that found another resource than the last apply used.
type Change struct {
	Ref      resource.Ref
	Was, Now string // IDs
}

// IDs returns the IDs of pins, by the name of the lookup.
func IDs(all []Pin) map[resource.Ref]string {
	out := make(map[resource.Ref]string, len(all))
	for _, p := range all {
		out[p.Ref] = p.ID
	}
	return out
}

// Sort sorts pins by the names of the lookups.
func Sort(all []Pin) {
	slices.SortFunc(all, func(a, b Pin) int { return a.Ref.Compare(b.Ref) })
}

// Changes lists the pins that differ from the IDs that the last apply used. A pin without an earlier ID is not one.
func Changes(now []Pin, was map[resource.Ref]string) (out []Change) {
	for _, p := range now {
		if id := was[p.Ref]; id != "" && id != p.ID {
			out = append(out, Change{Ref: p.Ref, Was: id, Now: p.ID})
		}
	}
	return out
}

// New lists the pins whose IDs are not the recorded ones.
func New(now []Pin, recorded map[resource.Ref]string) []Pin {
	return slices.DeleteFunc(slices.Clone(now), func(p Pin) bool { return recorded[p.Ref] == p.ID })
}
