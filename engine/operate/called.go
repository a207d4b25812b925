package operate

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/resource"
)

// Named is an unmanaged resource that users call by a name, under the ref that an adoption gives it.
type Named struct {
	resource.Observed
	Refused error // why it cannot be adopted; nil if it can
}

// Called lists the unmanaged resources of the intents' locations for which called has a name, each under the ref of
// that name in the configuration. One without such a ref, or that shares its name with another, is refused, and so is,
// without force, what another system manages. unread are the kinds that could not be read, and why.
func (e *Operator) Called(
	ctx context.Context, intents []resource.Intent, force bool, called func(*resource.Observed) string,
) (all []Named, unread map[string]error, err error) {
	p, scopes, err := e.plan.ObserveAll(ctx, intents)
	if err != nil {
		return nil, nil, err
	}
	found, unread, err := e.unmanaged(p, scopes)
	if err != nil {
		return nil, nil, err
	}
	configured := map[resource.Ref][]resource.Ref{} // by the ref without a stack
	for _, in := range p.Intents {
		for i := range in.Resources {
			bare := in.Resources[i].Ref.Bare()
			configured[bare] = append(configured[bare], in.Resources[i].Ref)
		}
	}
	return named(p, found, configured, force, called), unread, nil
}

// named returns the configured ref of each resource, or the reason why it has none.
func named(
	p *plan.Planned, found []resource.Observed, configured map[resource.Ref][]resource.Ref, force bool,
	called func(*resource.Observed) string,
) (all []Named) {
	names := map[resource.Ref]int{}
	for _, o := range found {
		name := called(&o)
		if name == "" {
			continue
		}
		n := Named{Observed: o}
		n.Ref = o.Ref.Bare()
		n.Ref.Name = name
		// All names are counted before any resource is judged: each of several resources with one name is refused.
		names[n.Ref]++
		all = append(all, n)
	}
	for i := range all {
		n := &all[i]
		refs := configured[n.Ref]
		switch {
		case n.OwnedBy != "" && !force:
			n.Refused = owned(&n.Observed)
		// A name that equals the ID was not chosen by a user.
		case n.Ref.Name == n.ID && len(refs) == 0:
			n.Refused = resource.Advise(errors.New("it has no name"),
				fmt.Sprintf("run `ovi adopt %s/NAME --id %s`", n.Ref.Kind, n.ID))
		case len(refs) == 0:
			n.Refused = resource.Advise(fmt.Errorf("the configuration has no %s called %s", n.Ref.Kind, n.Ref.Name),
				"add it, or run `ovi import existing`, which writes it")
		case len(refs) > 1:
			n.Refused = resource.Advise(fmt.Errorf("%d stacks configure %s", len(refs), n.Ref.Short()),
				"adopt into one stack at a time")
		case names[n.Ref] > 1:
			n.Refused = resource.Advise(fmt.Errorf("%d resources are called %s", names[n.Ref], n.Ref.Short()),
				"choose one with --id")
		case n.Condition == resource.Unreadable:
			n.Refused = errors.New("it cannot be read: " + n.Message)
		// Its marks name a stack, so the name alone must not decide where it belongs.
		case n.Ownership != resource.Unmanaged && n.Ownership != resource.Former:
			n.Refused = resource.Advise(errors.New("it has the tags of stack "+n.Marks.Ref.Stack), "run `ovi adopt --marked`")
		default:
			n.Refused = adoptable(p, refs[0], &n.Observed, force)
		}
		if n.Refused == nil {
			n.Ref = refs[0]
		}
	}
	return all
}
