package query

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Binding returns the live binding of a ref, or ErrNotFound if there is none. During a replacement it
// returns the binding of the old resource.
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
