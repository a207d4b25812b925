package recovery

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// arrived finds the creates that took effect after an observation had found them not done: their process was stopped
// before it sent the request, or the system was late. The evidence is the key on the resource, so that a kind without
// marks has none. good gets the events of the resources that are healthy.
func (e *Recovery) arrived(
	ctx context.Context, opens []OpenAction, live resource.LiveState, acted map[resource.Ref]bool,
	good map[resource.Ref]event.Event,
) (out []event.Recovered, err error) {
	if !e.anyMade(live) {
		return nil, nil
	}
	creates, err := e.Ledger.LateCreates(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the creates that may arrive late: %w", err)
	}
	// The recovery of an open action comes first. A late create of the same resource waits for a later observation.
	taken := make(map[resource.Ref]bool, len(opens))
	for i := range opens {
		taken[opens[i].Ref] = true
	}
	for _, o := range creates {
		snapshot, read := live.Scopes[o.Ref.Scope()]
		if !read || acted[o.Ref] || taken[o.Ref] || e.Kind(o.Ref).Carrier == resource.NoMarks {
			continue
		}
		made := e.carriers(o, snapshot)
		if len(made) != 1 || !arrivedNow(made[0]) { // more than one: an operator must resolve it
			continue
		}
		switch err := e.Ledger.Recoverable(ctx, o); {
		case errors.Is(err, ledger.ErrUnproven):
			continue // it waits until an operator trusts the key
		case err != nil:
			return nil, fmt.Errorf("prove the late create of %s: %w", o.Ref, err)
		}
		a := event.Recovered{Ref: o.Ref, Key: o.Key, Action: o.Action}
		done, _ := finding(&a, snapshot)(event.FoundDone, made[0], "%s has its name and key: the request took effect late",
			made[0].ID)
		healthy, err := e.recoveredGood(ctx, o, done, snapshot)
		if err != nil {
			return nil, err
		}
		if healthy != nil {
			good[o.Ref] = healthy
		}
		taken[o.Ref] = true // one resource, even if requests with several keys arrive
		out = append(out, done)
	}
	return out, nil
}

// arrivedNow reports whether a resource with the key of a late create is its result. A resource that an operator
// dismissed is unmanaged in spite of its key.
func arrivedNow(o *resource.Observed) bool {
	switch o.Ownership {
	case resource.Attested, resource.Unproven, resource.Copied, resource.Former:
		return true
	}
	return false
}
