package query

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Applied returns the configuration that was last applied to a resource. Secrets are digests in it. It
// returns false if none is recorded, as after a delete.
func (r *Reader) Applied(ctx context.Context, ref resource.Ref, at storage.Revision) (event.Applied, bool, error) {
	var a event.Applied
	found, err := r.Load(ctx, rows.Of(rows.KeyApplied, ref), at, &a)
	return a, found, err
}

// AllApplied returns a function that returns the last applied configuration of a resource at a revision.
// The function reads all at its first call and decodes only the requested ones; one goroutine may call it.
// Once failed returns an error, its results do not count.
func (r *Reader) AllApplied(
	ctx context.Context, at storage.Revision,
) (applied func(resource.Ref) (event.Applied, bool), failed func() error) {
	var raw map[string][]byte
	var broken error
	applied = func(ref resource.Ref) (a event.Applied, ok bool) {
		if raw == nil {
			raw = map[string][]byte{}
			broken = r.Entries(ctx, rows.KeyApplied, at, func(e storage.Entry) error {
				raw[e.Key] = bytes.Clone(e.Value)
				return nil
			})
		}
		b, ok := raw[rows.Of(rows.KeyApplied, ref)]
		if !ok || broken != nil {
			return event.Applied{}, false
		}
		if err := json.Unmarshal(b, &a); err != nil {
			broken = fmt.Errorf("ledger: read what was applied to %s: %w", ref, err)
		}
		return a, broken == nil
	}
	return applied, func() error { return broken }
}
