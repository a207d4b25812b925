package locate

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// move rewrites the refs of the intents to the resolved locations. It copies only what changes.
func move(intents []resource.Intent, moved map[resource.Scope]resource.Scope) []resource.Intent {
	if len(moved) == 0 {
		return intents
	}
	m := mover(moved)
	out := slices.Clone(intents)
	for i := range out {
		out[i].Scopes = slices.Clone(out[i].Scopes)
		for k, s := range out[i].Scopes {
			out[i].Scopes[k] = m.scope(s)
		}
		resources := make([]resource.Desired, len(out[i].Resources))
		for k, d := range out[i].Resources {
			d.Ref, d.Attrs, d.Was = m.ref(d.Ref), m.attrs(d.Attrs), m.ref(d.Was)
			if len(d.DependsOn) > 0 {
				d.DependsOn = slices.Clone(d.DependsOn)
				for n := range d.DependsOn {
					d.DependsOn[n] = m.ref(d.DependsOn[n])
				}
			}
			resources[k] = d
		}
		out[i].Moved = slices.Clone(out[i].Moved)
		for k := range out[i].Moved {
			x := &out[i].Moved[k]
			x.From, x.To = m.ref(x.From), m.ref(x.To)
		}
		out[i].Removed = slices.Clone(out[i].Removed)
		for k := range out[i].Removed {
			out[i].Removed[k].From = m.ref(out[i].Removed[k].From)
		}
		out[i].Lookups = slices.Clone(out[i].Lookups)
		for k := range out[i].Lookups {
			d := &out[i].Lookups[k]
			d.Ref = m.ref(d.Ref)
			// The configuration of the caller has the same lookup, so a copy is changed.
			found := *d.Lookup
			found.Of, d.Lookup = m.ref(found.Of), &found
		}
		// Resolved locations may sort differently.
		slices.SortStableFunc(resources, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
		out[i].Resources, out[i].Outputs = resources, m.attrs(out[i].Outputs)
		out[i].Parts = slices.Clone(out[i].Parts)
		for k := range out[i].Parts {
			refs := slices.Clone(out[i].Parts[k].Refs)
			for n := range refs {
				refs[n] = m.ref(refs[n])
			}
			out[i].Parts[k].Refs = refs
		}
	}
	return out
}

// mover has the resolved scopes, by the scopes that the configuration names. Any other scope stays.
type mover map[resource.Scope]resource.Scope

func (m mover) scope(s resource.Scope) resource.Scope {
	if to, ok := m[s]; ok {
		return to
	}
	return s
}

func (m mover) ref(r resource.Ref) resource.Ref {
	r.Location = m.scope(r.Scope()).Location
	return r
}

// attrs returns attributes with resolved locations in their references.
func (m mover) attrs(in resource.Attrs) resource.Attrs {
	out, _ := resource.MapRefs(in, func(r resource.Reference) resource.Value {
		return resource.Reference{Ref: m.ref(r.Ref), Path: r.Path}
	}).(resource.Attrs)
	return out
}
