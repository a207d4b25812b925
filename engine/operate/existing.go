package operate

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Existing lists the unmanaged resources that exist under configured names, such as resources that were
// made by hand, each under the ref that an adoption gives it. also are refs that a source names without
// configuring them, such as resources that it declares absent. A location that cannot be read in full is an
// error: the list would be incomplete. Inside other resources, it lists only the locations that can be
// read.
func (e *Operator) Existing(
	ctx context.Context, intents []resource.Intent, also []resource.Ref,
) ([]resource.Observed, error) {
	p, _, err := e.plan.ObserveAll(ctx, intents)
	if err != nil {
		return nil, err
	}
	refs := slices.Clone(also)
	for i, r := range refs {
		// A location that cannot be resolved stays as given, and is reported below as not read.
		if at, err := e.plan.Located(ctx, r.Scope()); err == nil {
			refs[i].Location = at.Location
		}
	}
	for _, in := range p.Intents {
		for i := range in.Resources {
			refs = append(refs, in.Resources[i].Ref)
		}
	}
	slices.SortFunc(refs, resource.Ref.Compare)
	inside := e.plan.ConfiguredInsides(p.Intents)
	var out []resource.Observed
	for _, ref := range slices.Compact(refs) {
		s := p.Live.Scopes[ref.Scope()]
		// The inside of a resource may be unreadable because the resource does not exist or run. It is listed only if
		// it was read.
		if _, in := inside[ref.Scope()]; !in {
			if err := p.Live.Covers(ref); err != nil {
				return nil, fmt.Errorf("list what exists in %s: %w", ref.Scope(), err)
			}
		}
		for i := range s.Resources {
			o := s.Resources[i]
			// Marks without proof, former bindings and ownership by another system exclude a resource.
			if o.Ref == ref.Bare() && o.Ownership == resource.Unmanaged && adoptable(p, ref, &o, false) == nil {
				o.Ref = ref
				out = append(out, o)
			}
		}
	}
	return out, nil
}
