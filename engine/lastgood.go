package engine

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

// isGood reports whether a resource is healthy with a configuration, or stopped as configured.
func (e *Engine) isGood(o *resource.Observed, with event.Applied) bool {
	k, ok := e.cfg.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	if !ok || k.State == "" && !k.Async || with.Desired == "" {
		return false
	}
	if with.State == resource.StateStopped {
		return o.Health == resource.Stopped
	}
	return o.Health == resource.Healthy
}

// lastGood returns the event for a resource that is healthy with a configuration, if that is not
// recorded already.
func (e *Engine) lastGood(ctx context.Context, ref resource.Ref, o *resource.Observed, with event.Applied) ([]event.Event, error) {
	if !e.isGood(o, with) {
		return nil, nil
	}
	was, known, err := e.cfg.Ledger.LastGoodOf(ctx, ref)
	if err != nil || known && was.Desired == with.Desired {
		return nil, err
	}
	return []event.Event{event.LastGood{Ref: ref, Desired: with.Desired, Applied: with}}, nil
}

// becameGood returns the events for the resources that an observation finds healthy, and that were
// not when they were last recorded. Those with an open action are left to its recovery.
func (e *Engine) becameGood(ctx context.Context, live resource.LiveState, opens []openAction) ([]event.Event, error) {
	down, err := e.downIn(ctx, live)
	if err != nil || len(down) == 0 {
		return nil, err
	}
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
		if o == nil || o.Role != "" {
			continue
		}
		applied, _, err := e.cfg.Ledger.Applied(ctx, ref, 0)
		if err != nil {
			return nil, fmt.Errorf("read what was applied to %s: %w", ref, err)
		}
		good, err := e.lastGood(ctx, ref, o, applied)
		if err != nil {
			return nil, err
		}
		out = append(out, good...)
	}
	slices.SortFunc(out, func(x, y event.Event) int { return x.About().Compare(y.About()) })
	return out, nil
}

// downIn is what is not healthy, as recorded: at least what is in live state.
func (e *Engine) downIn(ctx context.Context, live resource.LiveState) (map[resource.Ref]rows.Down, error) {
	if len(live.Scopes) == 1 {
		for s := range live.Scopes {
			return e.cfg.Ledger.DownIn(ctx, s)
		}
	}
	return e.cfg.Ledger.Down(ctx, storage.Now)
}

// good returns the event for an action after which the resource is healthy. If the record cannot be
// read, that is left to the recording of the result, which then fails too.
func (a *apply) good(ctx context.Context, b event.Started, end event.Finished) []event.Event {
	if end.Outcome != event.Done || end.Resource == nil || b.Applying == nil || b.Step != "" {
		return nil
	}
	good, _ := a.engine.lastGood(context.WithoutCancel(ctx), end.Ref, end.Resource, *b.Applying)
	return good
}

// recoveredGood does so for an action that an observation found done.
func (e *Engine) recoveredGood(ctx context.Context, o ledger.OpenAction, r event.Recovered, live resource.Snapshot) (event.Event, error) {
	have := byID(live, o.Ref.Kind, r.ID)
	if r.Finding != event.FoundDone || have == nil || o.Applying == nil || o.Step != "" {
		return nil, nil
	}
	good, err := e.lastGood(ctx, o.Ref, have, *o.Applying)
	if err != nil || len(good) == 0 {
		return nil, err
	}
	return good[0], nil
}

// good does so for the end of a replacement.
func (r *replacement) good(ctx context.Context, e event.ReplaceFinished, left *resource.Observed) []event.Event {
	if e.Reverted || left == nil || r.applied == nil {
		return nil
	}
	good, _ := r.engine.lastGood(context.WithoutCancel(ctx), e.Ref, left, *r.applied)
	return good
}
