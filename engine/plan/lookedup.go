package plan

import (
	"slices"

	"github.com/ovi-project/ovi/engine/plan/lookup"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// lookedUpKinds lists the kinds that blocks look up in a scope.
func lookedUpKinds(intents []resource.Intent, s resource.Scope) (out []string) {
	for i := range intents {
		for _, d := range intents[i].Lookups {
			if lookup.Target(&d).Scope() == s {
				out = append(out, d.Ref.Kind)
			}
		}
	}
	return out
}

// lookedUpIDs lists the IDs that blocks look up in a scope: a list may omit what is unmanaged.
func lookedUpIDs(intents []resource.Intent, s resource.Scope) (out []provider.Known) {
	for i := range intents {
		for _, d := range intents[i].Lookups {
			if d.Lookup.ID != "" && d.Ref.Scope() == s {
				out = append(out, provider.Known{Kind: d.Ref.Kind, ID: d.Lookup.ID})
			}
		}
	}
	return out
}

// searchedKinds lists the kinds of a scope that blocks search by names and tags: all resources of them must be listed.
func searchedKinds(intents []resource.Intent, s resource.Scope) (out []string) {
	for i := range intents {
		for _, d := range intents[i].Lookups {
			if lookup.Searches(d.Lookup) && d.Ref.Scope() == s {
				out = append(out, d.Ref.Kind)
			}
		}
	}
	return out
}

// substitute returns resources with the observed values instead of references to the resources that were found.
func substitute(in []resource.Desired, found map[resource.Ref]*resource.Observed) []resource.Desired {
	out := slices.Clone(in)
	for k := range out {
		d := &out[k]
		if !slices.ContainsFunc(d.Refs(), func(r resource.Ref) bool { return found[r] != nil }) {
			continue
		}
		d.Attrs, _ = resource.MapRefs(d.Attrs, func(r resource.Reference) resource.Value {
			if o := found[r.Ref]; o != nil {
				if v, known := o.Refer(r.Path); known {
					return v
				}
			}
			return r
		}).(resource.Attrs)
		left := resource.AppendRefs(nil, d.Attrs) // attributes without a value
		d.DependsOn = slices.DeleteFunc(slices.Clone(d.DependsOn), func(r resource.Ref) bool {
			return found[r] != nil && !slices.Contains(left, r)
		})
	}
	return out
}
