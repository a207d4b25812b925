package query

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Replacement is the open replacement of a ref; false if there is none.
func (r *Reader) Replacement(ctx context.Context, ref resource.Ref) (rows.Replacement, bool, error) {
	var open rows.Replacement
	found, err := r.Load(ctx, rows.Of(rows.KeyReplace, ref), storage.Now, &open)
	return open, found, err
}

// Replacements are the open replacements at a revision, by ref.
func (r *Reader) Replacements(ctx context.Context, at storage.Revision) (map[resource.Ref]rows.Replacement, error) {
	return byRef[rows.Replacement](ctx, r, rows.KeyReplace, at)
}

// LastGood is, for each resource, the configuration with which it was last healthy, as recorded at a
// revision.
func (r *Reader) LastGood(ctx context.Context, at storage.Revision) (map[resource.Ref]event.LastGood, error) {
	return byRef[event.LastGood](ctx, r, rows.KeyLastGood, at)
}

// LastGoodOf returns the last good configuration of one resource, or false if none is recorded.
func (r *Reader) LastGoodOf(ctx context.Context, ref resource.Ref) (event.LastGood, bool, error) {
	var g event.LastGood
	found, err := r.Load(ctx, rows.Of(rows.KeyLastGood, ref), storage.Now, &g)
	return g, found, err
}

// Exhausted are the resources whose configuration has no attempts left.
func (r *Reader) Exhausted(ctx context.Context) (map[resource.Ref]event.Exhausted, error) {
	return byRef[event.Exhausted](ctx, r, rows.KeyExhausted, storage.Now)
}

// LookedUp is the ID that each lookup found at the last apply, as recorded at a revision.
func LookedUp(ctx context.Context, r *Reader, at storage.Revision) (map[resource.Ref]string, error) {
	all, err := byRef[event.LookedUp](ctx, r, rows.KeyLookedUp, at)
	out := make(map[resource.Ref]string, len(all))
	for ref, e := range all {
		out[ref] = e.ID
	}
	return out, err
}

// Waves returns the progress of the newest configurations of the resources of each name, recorded at a
// revision.
func (r *Reader) Waves(ctx context.Context, at storage.Revision) ([]event.Wave, error) {
	var out []event.Wave
	err := r.Entries(ctx, rows.KeyWave, at, func(e storage.Entry) error {
		var w event.Wave
		err := json.Unmarshal(e.Value, &w)
		out = append(out, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: read the waves: %w", err)
	}
	return out, nil
}

// Orders returns the orders in effect: freezes, locks and promotions. An order that was lifted has no
// row.
func (r *Reader) Orders(ctx context.Context) ([]event.Ordered, error) {
	var out []event.Ordered
	err := r.Entries(ctx, rows.KeyOrder, storage.Now, func(e storage.Entry) error {
		var o event.Ordered
		err := json.Unmarshal(e.Value, &o)
		out = append(out, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: read the orders: %w", err)
	}
	return out, nil
}

// byRef decodes all values under a prefix that refs follow.
func byRef[T any](ctx context.Context, r *Reader, prefix string, at storage.Revision) (map[resource.Ref]T, error) {
	out := map[resource.Ref]T{}
	err := r.Entries(ctx, prefix, at, func(e storage.Entry) error {
		var v T
		ref, err := rows.RefOf(prefix, e.Key)
		if err == nil {
			err = json.Unmarshal(e.Value, &v)
		}
		out[ref] = v
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: read %s: %w", prefix, err)
	}
	return out, nil
}
