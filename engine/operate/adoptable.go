package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/resource"
)

// Adoptable lists the unmanaged resources in the locations of the intents, whatever their names, except
// resources that the provider creates automatically. The list includes resources that another system
// manages, and resources with marks but without proof. A location that cannot be read is an error; unread
// has the kinds that cannot be read.
func (e *Operator) Adoptable(
	ctx context.Context, intents []resource.Intent,
) (found []resource.Observed, unread map[string]error, err error) {
	p, scopes, err := e.plan.ObserveAll(ctx, intents)
	if err != nil {
		return nil, nil, err
	}
	return e.unmanaged(p, scopes)
}

// unmanaged is Adoptable for an observation that was already made.
func (e *Operator) unmanaged(
	p *plan.Planned, scopes []resource.Scope,
) (found []resource.Observed, unread map[string]error, err error) {
	// A list without a location would read like the complete one.
	for s, err := range p.Live.Unreachable {
		return nil, nil, fmt.Errorf("list what exists in %s: %w", s, err)
	}
	unread = map[string]error{}
	for _, s := range scopes {
		snapshot := p.Live.Scopes[s]
		for _, k := range e.plan.Providers.Kinds(s.Provider) {
			if err := snapshot.Covers(k.Name); err != nil {
				unread[k.Name] = err
			}
		}
		for i := range snapshot.Resources {
			o := &snapshot.Resources[i]
			// A default of the system is nothing to adopt, and a resource that is managed from another location is
			// owned there.
			if !o.Managed() && o.Message != resource.ProviderDefault && o.Message != resource.OwnedElsewhere {
				found = append(found, *o)
			}
		}
	}
	slices.SortFunc(found, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return found, unread, nil
}

// Identified is a configured resource and the ID of the existing one to adopt under its name.
type Identified struct {
	Ref resource.Ref
	ID  string
}

// ByID lists the resources with some IDs, each under the ref that an adoption gives it. A resource that is
// managed under that ref already is not listed. Any other resource that cannot be adopted is an error; with
// force, resources of other systems are not.
func (e *Operator) ByID(
	ctx context.Context, intents []resource.Intent, all []Identified, force bool,
) ([]resource.Observed, error) {
	p, _, err := e.plan.ObserveAll(ctx, intents)
	if err != nil {
		return nil, err
	}
	configured := map[resource.Ref]resource.Ref{} // with their resolved locations
	for i, in := range p.Intents {
		at := map[resource.Scope]resource.Scope{}
		for j, s := range intents[i].Scopes {
			at[s] = in.Scopes[j]
		}
		// The resources with resolved locations may sort differently, so the positions of two lists do not agree.
		for _, d := range intents[i].Resources {
			if to, known := at[d.Ref.Scope()]; known {
				ref := d.Ref
				ref.Location = to.Location
				configured[d.Ref] = ref
			}
		}
	}
	var out []resource.Observed
	var bad []error
	for _, x := range all {
		ref, ok := configured[x.Ref]
		if !ok {
			ref = x.Ref
		}
		have, err := candidate(p, ref, x.ID)
		// An earlier call has adopted it: a repeated call goes on with the rest.
		if err == nil && have.Managed() && have.Ref == ref {
			continue
		}
		if err == nil {
			err = adoptable(p, ref, have, force)
		}
		// All refusals are reported at once, so that a long list needs one correction.
		if err != nil {
			bad = append(bad, fmt.Errorf("adopt %s: %w", ref.Short(), err))
			continue
		}
		o := *have
		o.Ref = ref
		out = append(out, o)
	}
	return out, errors.Join(bad...)
}
