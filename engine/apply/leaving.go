package apply

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/resource"
)

// leavingOf lists the resources that the plan replaces and that have no successor yet.
func leavingOf(p *plan.Planned) map[resource.Ref]bool {
	out := map[resource.Ref]bool{}
	for i := range p.Plan.Decisions {
		if d := &p.Plan.Decisions[i]; d.Action == decider.Replace && d.New == nil {
			out[d.Ref] = true
		}
	}
	return out
}

// withoutLeaving keeps references to leaving resources until their successors exist: an address in the range of the new
// subnet is outside the old range.
func withoutLeaving(
	leaving map[resource.Ref]bool, r resource.Resolver, succeeded func(resource.Ref) bool,
) resource.Resolver {
	lookup := r.Lookup
	r.Lookup = func(ref resource.Reference) (resource.Value, bool) {
		if leaving[ref.Ref] && !succeeded(ref.Ref) {
			return nil, false
		}
		return lookup(ref)
	}
	return r
}
