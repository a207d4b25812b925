package history

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// manyPasts is from where on it is read at once which resources have a history.
const manyPasts = 64

// Pasts returns a function with the past events of each resource, newest first and at most limit of each,
// from the records of this log up to known. It reads only the requested resources; one goroutine may call
// it. Once failed returns an error, its results do not count.
func (l *Reader) Pasts(
	ctx context.Context, known wal.Seq, limit int,
) (past func(resource.Ref) []decider.Past, failed func() error) {
	var broken error
	got := map[resource.Ref][]decider.Past{}
	var have map[string]bool // nil until it is read
	past = func(ref resource.Ref) []decider.Past {
		if out, ok := got[ref]; ok || broken != nil {
			return out
		}
		if len(got) == manyPasts {
			// One pass over the keys replaces one read for each of the remaining resources without a history.
			have = map[string]bool{}
			broken = l.Entries(ctx, rows.KeyActions, storage.Now, func(e storage.Entry) error {
				have[e.Key] = true
				return nil
			})
		}
		var out []decider.Past
		if have == nil || have[rows.Of(rows.KeyActions, ref)] {
			var err error
			if out, err = l.past(ctx, ref, known, limit); err != nil {
				broken = fmt.Errorf("history: read the past of %s: %w", ref, err)
			}
		}
		got[ref] = out
		return out
	}
	return past, func() error { return broken }
}

// past reads the past events of one resource. Records of other instances count regardless of known,
// because their numbers belong to other logs.
func (l *Reader) past(ctx context.Context, ref resource.Ref, known wal.Seq, limit int) ([]decider.Past, error) {
	var out []decider.Past
	m := Moment{}
	err := l.Versions(ctx, rows.Of(rows.KeyActions, ref), func(e storage.Entry) error { return actsThen(&m, e) })
	for _, r := range m.Records {
		if p, ok := event.PastOf(r); ok && (r.Seq <= known || r.Instance != l.Instance()) {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out[:min(limit, len(out))], err
}
