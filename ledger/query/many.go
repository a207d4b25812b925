package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// BindingsIn are the bindings of scopes. The caller must not change them. If the scopes are many, one range
// over their common prefix is read, so the result may have more scopes.
func (r *Reader) BindingsIn(
	ctx context.Context, scopes []resource.Scope,
) (map[resource.Scope][]resource.Binding, error) {
	if len(scopes) >= rows.ManyScopes {
		return r.bindingsWithin(ctx, rows.KeyBinding+rows.Within(scopes))
	}
	out := make(map[resource.Scope][]resource.Binding, len(scopes))
	for _, s := range scopes {
		var err error
		if out[s], err = r.Bindings(ctx, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bindingsOf are the bindings of many scopes at a revision.
type bindingsOf struct {
	prefix string
	at     storage.Revision
	all    map[resource.Scope][]resource.Binding
}

// The result of the last call is used again at the same revision of the store only, so that no
// commit is missed. Its slices have no spare capacity: a caller that appends gets a copy, and does
// not write into the cached one.
func (r *Reader) bindingsWithin(ctx context.Context, prefix string) (map[resource.Scope][]resource.Binding, error) {
	found, at, err := storage.Scan(ctx, r.store, prefix, storage.Now)
	if err != nil {
		return nil, fmt.Errorf("ledger: bindings: %w", err)
	}
	r.cache.mu.Lock()
	known := r.cache.many
	r.cache.mu.Unlock()
	if known.prefix == prefix && known.at == at {
		return known.all, nil
	}
	out := make(map[resource.Scope][]resource.Binding, len(known.all))
	var d bindingDecoder
	for e, err := range found {
		var b resource.Binding
		if err == nil {
			b, err = d.decode(e.Key, e.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("ledger: bindings: %s: %w", e.Key, err)
		}
		s := b.Ref.Scope()
		out[s] = append(out[s], b)
	}
	for s, all := range out {
		out[s] = slices.Clip(all)
	}
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	r.cache.many = bindingsOf{prefix, at, out}
	return out, nil
}

// Snapshots are scopes as recorded, each as Snapshot returns it; those that were never observed completely are
// omitted.
func (r *Reader) Snapshots(ctx context.Context, scans []rows.Scan) (map[resource.Scope]resource.Snapshot, error) {
	out := make(map[resource.Scope]resource.Snapshot, len(scans))
	scopes := make([]resource.Scope, 0, len(scans))
	for i := range scans {
		if s := scans[i].Scope; !scans[i].Confirmed.IsZero() {
			scopes = append(scopes, s)
			out[s] = resource.Snapshot{Scope: s, At: scans[i].Confirmed}
		}
	}
	if len(scopes) < rows.ManyScopes {
		for _, s := range scopes {
			var err error
			if out[s], err = r.Snapshot(ctx, s); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	prefix := rows.KeyResource + rows.Within(scopes)
	err := r.Resources(ctx, prefix, storage.Now, func(o resource.Observed, _ storage.Entry) {
		if s, asked := out[o.Ref.Scope()]; asked {
			s.Resources = append(s.Resources, o)
			out[s.Scope] = s
		}
	})
	for _, s := range out {
		slices.SortFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	}
	return out, err
}
