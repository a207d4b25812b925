package query

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Instance is one that records into a store, as the store has it.
type Instance struct {
	ID       string
	Last     wal.Seq // the last record of its log that is in the store
	At       time.Time
	Revision storage.Revision
}

// Instances are those that had recorded into a store at a revision, and that revision.
func Instances(ctx context.Context, store StoreReads, at storage.Revision) ([]Instance, storage.Revision, error) {
	entries, rev, err := store.Range(ctx, rows.KeyLog, at)
	if err != nil {
		return nil, 0, err
	}
	var out []Instance
	for e, err := range entries {
		if err != nil {
			return nil, 0, err
		}
		var h rows.Head
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return nil, 0, fmt.Errorf("ledger: %s: %w", e.Key, err)
		}
		out = append(out, Instance{e.Key[len(rows.KeyLog):], h.Seq, h.At, e.Modified})
	}
	return out, rev, nil
}

// Instances are those that ever recorded into the store, by id.
func (r *Reader) Instances(ctx context.Context) ([]Instance, error) {
	out, _, err := Instances(ctx, r.store, storage.Now)
	return out, err
}

// FrontierIn is the last record of the log that a store has which only that log is projected into.
// With several logs, or without a position, there is no option, and the log is opened without that
// check. With the option, the log is rejected if it ends before that record or has another one
// there.
func FrontierIn(ctx context.Context, store storage.Store) ([]wal.Option, error) {
	r := &Reader{store: store}
	var heads []rows.Head
	err := r.Entries(ctx, rows.KeyLog, storage.Now, func(e storage.Entry) error {
		var h rows.Head
		heads = append(heads, h)
		return json.Unmarshal(e.Value, &heads[len(heads)-1])
	})
	if err != nil || len(heads) != 1 || heads[0].Chain == "" {
		return nil, err
	}
	chain, err := wal.ParseChain(heads[0].Chain)
	if err != nil {
		return nil, fmt.Errorf("ledger: read the position of the store: %w", err)
	}
	return []wal.Option{wal.WithFrontier(heads[0].Seq, chain)}, nil
}
