package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Binding is the live binding of a ref; ErrNotFound if there is none. During a replacement it is
// that of the old resource.
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

// ErrBound is returned for an adoption of a resource that another ref has.
var ErrBound = errors.New("ledger: the resource is recorded under another name")

// permitted refuses to adopt an id that is bound to another ref, unless that binding ends in the
// same batch, and to start an action with approvals that another plan used.
func (l *Ledger) permitted(ctx context.Context, events []event.Event) error {
	ended := map[resource.Ref]bool{}
	for _, e := range events {
		switch e := e.(type) {
		case event.Started:
			if err := l.unused(ctx, e); err != nil {
				return err
			}
		case event.Disowned:
			ended[e.Ref] = true
		case event.Lost:
			ended[e.Ref] = true
		case event.Adopted:
			var was resource.Ref
			found, err := l.Load(ctx, rows.IdentityOf(e.Ref, e.ID), storage.Now, &was)
			if err != nil {
				return err
			}
			if found && was != e.Ref && !ended[was] {
				return fmt.Errorf("%w: %s is %s", ErrBound, e.ID, was)
			}
		}
	}
	return nil
}
