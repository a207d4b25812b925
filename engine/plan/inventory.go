package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/engine/plan/locate"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Inventory reads all kinds of every recorded location and every location of the intents, unless
// they were read in full within maxAge, and records the result. Unreachable and UnreachableKinds of
// the plan have the locations and kinds that could not be read. The plan has no decisions. Single
// locations that fail are part of the result.
func (e *Planner) Inventory(ctx context.Context, intents []resource.Intent, maxAge time.Duration) (*Planned, error) {
	p := e.newPlan(event.ForPlan)
	p.allKinds = true
	places, err := e.Locate(ctx, intents, maxAge)
	if err != nil {
		return nil, err
	}
	scans, err := e.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("read the recorded locations: %w", err)
	}
	for _, s := range scans {
		if _, known := e.Providers[s.Scope.Provider]; !known || slices.Contains(places.Scopes, s.Scope) {
			continue
		}
		at, err := e.Located(ctx, s.Scope)
		switch {
		case errors.Is(err, provider.ErrElsewhere):
		case err != nil:
			places.Failed[s.Scope] = e.Failure(s.Scope, err)
		case !slices.Contains(places.Scopes, at):
			places.Scopes = append(places.Scopes, at)
		}
	}
	slices.SortFunc(places.Scopes, resource.Scope.Compare)
	p.places, p.maxAge = places, maxAge
	if err := e.observe(ctx, p); err != nil {
		return nil, err
	}
	p.Plan.Unreachable, p.Plan.UnreachableKinds = map[resource.Scope]string{}, map[resource.Scope]map[string]string{}
	for s, err := range p.Live.Unreachable {
		p.Plan.Unreachable[s] = err.Error()
	}
	for s, kinds := range kindsUnreachable(p.Live) {
		p.Plan.UnreachableKinds[s] = map[string]string{}
		for kind, err := range kinds {
			p.Plan.UnreachableKinds[s][kind] = err.Error()
		}
	}
	return p.Planned, nil
}

// ObserveAll reads all kinds of every location of the intents and their recorded resources, and returns the
// locations.
func (e *Planner) ObserveAll(ctx context.Context, intents []resource.Intent) (*Planned, []resource.Scope, error) {
	p := e.newPlan(event.ForApply)
	places, err := e.Locate(ctx, intents, 0)
	if err != nil {
		return nil, nil, err
	}
	p.places, p.Intents, p.allKinds = places, places.Intents, true
	return p.Planned, places.Scopes, e.observe(ctx, p)
}

// ObserveScope reads one scope for an action of an operator. The error of a scope that cannot be
// read is returned with the plan, which then has no resources of it.
func (e *Planner) ObserveScope(
	ctx context.Context, intents []resource.Intent, s resource.Scope, all bool,
) (*Planned, error) {
	p := e.newPlan(event.ForApply)
	p.Intents, p.allKinds = intents, all
	inner, err := e.RecordedInsides(ctx)
	if err != nil {
		return nil, err
	}
	at := s
	if _, inside := inner[s]; !inside {
		if at, err = e.Located(ctx, s); err != nil {
			return nil, e.Failure(s, err)
		}
	}
	p.places = &locate.Places{Scopes: inner.WithParents([]resource.Scope{at}), Insides: inner}
	if err := e.observe(ctx, p); err != nil {
		return nil, err
	}
	return p.Planned, p.Live.Unreachable[at]
}
