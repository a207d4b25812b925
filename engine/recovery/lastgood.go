package recovery

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// A resource goes back to the last configuration that it was healthy with, if a newer one fails. It
// is recorded of the kinds that can fail after an action was done: those with a state, and those
// whose actions are accepted.

// LastGood returns the event for a resource that is healthy with a configuration, or stopped as configured, if
// that is not recorded already.
func (e *Recovery) LastGood(
	ctx context.Context, ref resource.Ref, o *resource.Observed, with event.Applied,
) ([]event.Event, error) {
	k, ok := e.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	if !ok || k.State == "" && !k.Async || with.Desired == "" {
		return nil, nil
	}
	good := resource.Healthy
	if with.State == resource.StateStopped {
		good = resource.Stopped
	}
	if o.Health != good {
		return nil, nil
	}
	was, known, err := e.Ledger.LastGoodOf(ctx, ref)
	if err != nil || known && was.Desired == with.Desired {
		return nil, err
	}
	return []event.Event{event.LastGood{Ref: ref, Desired: with.Desired, Applied: with}}, nil
}

// becameGood returns the events for the resources that an observation finds healthy, and that were
// not when they were last recorded. Those with an open action are left to its recovery.
func (e *Recovery) becameGood(ctx context.Context, live resource.LiveState, opens []OpenAction) ([]event.Event, error) {
	down, err := e.downIn(ctx, live)
	if err != nil || len(down) == 0 {
		return nil, err
	}
	// The result of an open action decides whether its configuration is good.
	for _, o := range opens {
		delete(down, o.Ref)
	}
	var out []event.Event
	for ref := range down {
		snapshot, read := live.Scopes[ref.Scope()]
		if !read {
			continue
		}
		o := managedAt(snapshot, ref)
		// A replacement records the configuration when it ends.
		if o == nil || o.Role != "" {
			continue
		}
		applied, _, err := e.Ledger.Applied(ctx, ref, 0)
		if err != nil {
			return nil, fmt.Errorf("read what was applied to %s: %w", ref, err)
		}
		good, err := e.LastGood(ctx, ref, o, applied)
		if err != nil {
			return nil, err
		}
		out = append(out, good...)
	}
	slices.SortFunc(out, func(x, y event.Event) int { return x.About().Compare(y.About()) })
	return out, nil
}

// downIn returns the resources that are recorded as not healthy: at least those in live state. The
// record of one location is smaller than the record of all.
func (e *Recovery) downIn(ctx context.Context, live resource.LiveState) (map[resource.Ref]rows.Down, error) {
	if len(live.Scopes) == 1 {
		for s := range live.Scopes {
			return e.Ledger.DownIn(ctx, s)
		}
	}
	return e.Ledger.Down(ctx, storage.Now)
}

// recoveredGood does so for an action that an observation found done.
func (e *Recovery) recoveredGood(
	ctx context.Context, o ledger.OpenAction, r event.Recovered, live resource.Snapshot,
) (event.Event, error) {
	have := byID(live, o.Ref.Kind, r.ID)
	if r.Finding != event.FoundDone || have == nil || o.Applying == nil || o.Step != "" {
		return nil, nil
	}
	good, err := e.LastGood(ctx, o.Ref, have, *o.Applying)
	if err != nil || len(good) == 0 {
		return nil, err
	}
	return good[0], nil
}
