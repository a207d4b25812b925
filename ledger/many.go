package ledger

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// manyScopes is from how many scopes on all their rows are read in one pass: to open the store costs more than the
// rows of a scope with little in it.
const manyScopes = 8

// within is what the keys of all these scopes begin with, besides the prefix of the table.
func within(scopes []resource.Scope) string {
	if len(scopes) == 0 {
		return ""
	}
	common := scopes[0].String()
	for _, s := range scopes[1:] {
		name := s.String()
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

// BindingsIn are the bindings of scopes. The caller must not change them.
func (r *Reader) BindingsIn(ctx context.Context, scopes []resource.Scope) (map[resource.Scope][]resource.Binding, error) {
	if len(scopes) >= manyScopes {
		return r.bindingsWithin(ctx, rows.KeyBinding+within(scopes))
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
func (r *Reader) Snapshots(ctx context.Context, scans []Scan) (map[resource.Scope]resource.Snapshot, error) {
	out := make(map[resource.Scope]resource.Snapshot, len(scans))
	scopes := make([]resource.Scope, 0, len(scans))
	for i := range scans {
		if s := scans[i].Scope; !scans[i].Confirmed.IsZero() {
			scopes = append(scopes, s)
			out[s] = resource.Snapshot{Scope: s, At: scans[i].Confirmed}
		}
	}
	if len(scopes) < manyScopes {
		for _, s := range scopes {
			var err error
			if out[s], err = r.Snapshot(ctx, s); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	err := r.Resources(ctx, rows.KeyResource+within(scopes), storage.Now, func(o resource.Observed, _ storage.Entry) {
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

// recordedRows are the recorded resources of scopes, each in the order of its keys. A value is valid until the next
// step.
func recordedRows(ctx context.Context, store storage.Store, scopes []resource.Scope) (func(resource.Scope) (iter.Seq2[storage.Entry, error], error), error) {
	if len(scopes) < manyScopes {
		return func(s resource.Scope) (iter.Seq2[storage.Entry, error], error) {
			entries, _, err := storage.Scan(ctx, store, rows.ResourcePrefix(s), storage.Now)
			return entries, err
		}, nil
	}
	entries, _, err := store.Range(ctx, rows.KeyResource+within(scopes), storage.Now)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]storage.Entry, len(scopes))
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		prefix := rows.ScopePrefix(e.Key)
		all[prefix] = append(all[prefix], e)
	}
	return func(s resource.Scope) (iter.Seq2[storage.Entry, error], error) {
		return func(yield func(storage.Entry, error) bool) {
			for _, e := range all[rows.ResourcePrefix(s)] {
				if !yield(e, nil) {
					return
				}
			}
		}, nil
	}, nil
}
