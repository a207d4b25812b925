package ledger

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Instance is what a store knows of one that records into it.
type Instance struct {
	ID       string
	Last     wal.Seq // the last record of its log that is in the store
	At       time.Time
	Revision storage.Revision
}

// Instances are those that ever recorded into the store, by id.
func Instances(ctx context.Context, store storage.Store) ([]Instance, error) {
	entries, _, err := store.Range(ctx, keyLog, storage.Now)
	if err != nil {
		return nil, err
	}
	var out []Instance
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		var h head
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return nil, err
		}
		out = append(out, Instance{e.Key[len(keyLog):], h.Seq, h.At, e.Modified})
	}
	return out, nil
}
