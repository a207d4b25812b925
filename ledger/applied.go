package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Applied is what was last applied to a thing.
func (r *Reader) Applied(ctx context.Context, ref resource.Ref, at storage.Revision) (event.Applied, bool, error) {
	var a event.Applied
	found, err := r.Load(ctx, rows.KeyApplied+ref.String(), at, &a)
	return a, found, err
}

// AllApplied answers for many things at a revision. It reads everything when it is asked for the first
// time, and decodes only what it is asked for; it may be called from one goroutine. Once
// failed gives an error, the answers are worth nothing.
func (r *Reader) AllApplied(ctx context.Context, at storage.Revision) (applied func(resource.Ref) (event.Applied, bool), failed func() error) {
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
		b, ok := raw[rows.KeyApplied+ref.String()]
		if !ok || broken != nil {
			return event.Applied{}, false
		}
		if err := json.Unmarshal(b, &a); err != nil {
			broken = fmt.Errorf("ledger: what was applied to %s: %w", ref, err)
		}
		return a, broken == nil
	}
	return applied, func() error { return broken }
}
