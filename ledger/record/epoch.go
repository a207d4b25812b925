package record

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Unfinished is the epoch of a store that is being rebuilt.
const Unfinished = -1

// ReadEpoch returns how often the store's revisions were numbered again. A store that is being
// rebuilt is ErrUnfinished, since its revisions are still changing.
func ReadEpoch(ctx context.Context, store storage.Store) (int, error) {
	e, err := storage.Get(ctx, store, rows.KeyEpoch, storage.Now)
	if err != nil || e.Value == nil {
		return 0, err
	}
	n := 0
	if err := json.Unmarshal(e.Value, &n); err != nil {
		return 0, fmt.Errorf("ledger: %s: %w", rows.KeyEpoch, err)
	}
	if n == Unfinished {
		return 0, ErrUnfinished
	}
	return n, nil
}

// SetEpoch records in a store how often its revisions were numbered again.
func SetEpoch(ctx context.Context, store storage.Store, n int) error {
	_, err := store.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: rows.KeyEpoch, Value: fmt.Append(nil, n)}}})
	return err
}
