package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Inventory reads all kinds of every location that is on record or that the intents have, unless they
// were read in full within maxAge, and records what it finds. What could not be read is in the
// Unreachable and UnreachableKinds of the plan, which has no decisions.
func (e *Engine) Inventory(ctx context.Context, intents []resource.Intent, maxAge time.Duration) (*Planned, error) {
	p := e.newPlan(event.ForPlan)
	p.allKinds = true
	places, err := e.locate(ctx, intents, maxAge)
	if err != nil {
		return nil, err
	}
	scans, err := e.cfg.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("read the recorded locations: %w", err)
	}
	for _, s := range scans {
		if _, known := e.cfg.Providers[s.Scope.Provider]; !known || slices.Contains(places.scopes, s.Scope) {
			continue
		}
		at, err := e.located(ctx, s.Scope)
		switch {
		case errors.Is(err, provider.ErrElsewhere):
		case err != nil:
			places.failed[s.Scope] = e.locateError(s.Scope, err)
		case !slices.Contains(places.scopes, at):
			places.scopes = append(places.scopes, at)
		}
	}
	slices.SortFunc(places.scopes, resource.Scope.Compare)
	if err := e.observe(ctx, p, places, maxAge); err != nil {
		return nil, err
	}
	p.Plan.Unreachable, p.Plan.UnreachableKinds = map[resource.Scope]string{}, map[resource.Scope]map[string]string{}
	for s, err := range p.live.Unreachable {
		p.Plan.Unreachable[s] = err.Error()
	}
	for s, kinds := range kindsUnreachable(p.live) {
		p.Plan.UnreachableKinds[s] = map[string]string{}
		for kind, err := range kinds {
			p.Plan.UnreachableKinds[s][kind] = err.Error()
		}
	}
	return p, nil
}

// unlisted counts the unmanaged resources on record of the kinds that a plan did not read, or read
// through a filter, as far as it did not see them.
func (e *Engine) unlisted(ctx context.Context, p *Planned) (n int, err error) {
	for s, snapshot := range p.live.Scopes {
		if snapshot.Complete == nil {
			continue
		}
		of := e.cfg.Providers[s.Provider]
		if of == nil {
			continue
		}
		for _, k := range of.Kinds() {
			filtered := slices.Contains(snapshot.Filtered, k.Name)
			if snapshot.Covers(k.Name) == nil && !filtered {
				continue
			}
			all, err := e.cfg.Ledger.UnmanagedOf(ctx, s, k.Name)
			if err != nil {
				return 0, fmt.Errorf("read the recorded %s in %s: %w", k.Name, s, err)
			}
			if n += all; !filtered {
				continue
			}
			for i := range snapshot.Resources {
				if o := &snapshot.Resources[i]; o.Ref.Kind == k.Name && !o.Managed() && o.Reported() {
					n--
				}
			}
		}
	}
	return n, nil
}
