package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// LateCreates are the creates that an observation found not done, and whose requests may still arrive, oldest
// first. The rows are not proven: see ProvenOpen in package trust.
func LateCreates(ctx context.Context, r *Reader) ([]rows.OpenAction, error) {
	var out []rows.OpenAction
	err := r.Entries(ctx, rows.KeyLate, storage.Now, func(e storage.Entry) error {
		var late rows.Late
		err := json.Unmarshal(e.Value, &late)
		out = append(out, late.Of...)
		return err
	})
	slices.SortStableFunc(out, func(a, b rows.OpenAction) int { return a.At.Compare(b.At) })
	return out, err
}

// Unresolved is the action on a resource with a key of which an observation can find the result: the open action, or,
// while none is open, a late create. It returns false if there is none.
func Unresolved(ctx context.Context, r *Reader, ref resource.Ref, key string) (rows.OpenAction, bool, error) {
	o, open, err := r.OpenOn(ctx, ref)
	if err != nil || open {
		return o, open && o.Key == key, err
	}
	var late rows.Late
	if _, err := r.Load(ctx, rows.Of(rows.KeyLate, ref), storage.Now, &late); err != nil {
		return o, false, fmt.Errorf("ledger: late creates of %s: %w", ref, err)
	}
	o, is := late.With(key)
	return o, is, nil
}
