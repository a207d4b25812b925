package query

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Names is the record of names and exclusive things that changed hands.
type Names struct {
	Moves   map[resource.Ref]rows.Moved    // the names that resources were given, by their former names
	Outages map[resource.Ref][]rows.Outage // the things that were freed for resources which are not up
}

// Names returns the renames and outages at a revision. Arrived is set only for refs that the last accepted
// configuration of their stack does not have.
func (r *Reader) Names(ctx context.Context, at storage.Revision) (n Names, err error) {
	if n.Moves, err = byRef[rows.Moved](ctx, r, rows.KeyMoved, at); err != nil {
		return n, err
	}
	for ref, m := range n.Moves {
		if m.Arrived.IsZero() {
			continue
		}
		configured, err := r.Load(ctx, rows.AcceptedOf(ref), at, &event.AcceptedResource{})
		if err != nil {
			return n, err
		}
		if configured {
			m.Arrived = resource.Ref{}
			n.Moves[ref] = m
		}
	}
	n.Outages, err = byRef[[]rows.Outage](ctx, r, rows.KeyOutage, at)
	return n, err
}

// Binding returns the live binding of a ref, or ErrNotFound if there is none. During a replacement
// it returns the binding of the old resource. A new resource is returned only if it is the one that
// is left, after the old one was deleted.
func (r *Reader) Binding(ctx context.Context, ref resource.Ref) (resource.Binding, error) {
	var all rows.Bound
	if _, err := r.Load(ctx, rows.BoundOf(ref), storage.Now, &all); err != nil {
		return resource.Binding{}, err
	}
	for _, id := range all.Live {
		b := rows.NewBinding(ref, id)
		found, err := r.Load(ctx, rows.BindingOf(ref, id), storage.Now, &b)
		if err != nil {
			return b.Binding, err
		}
		if found && b.Live() && (b.Role != resource.RoleNew || len(all.Live) == 1) {
			return b.Binding, nil
		}
	}
	return resource.Binding{}, fmt.Errorf("ledger: the binding of %s: %w", ref, ErrNotFound)
}
