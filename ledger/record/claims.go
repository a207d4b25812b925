package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// errNotAClaim: only the ledger writes unleased keys.
var errNotAClaim = errors.New("ledger: only claims and notes are written this way")

// Claims is the part of the store that claims and notes are kept in, for the coordinator. It
// refuses to write any other key. Without that limit a coordinator could write a fact that no
// record of the log has.
func (w *Writer) Claims() storage.Store {
	c := claimStore{w.store}
	if watched, ok := w.store.(storage.Watcher); ok {
		return watchedClaims{c, watched}
	}
	return c
}

// claimStore passes on the methods of a store that a coordinator needs.
type claimStore struct{ storage.Store }

type watchedClaims struct {
	claimStore
	storage.Watcher
}

func (c claimStore) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	for _, op := range tx.Ops {
		if !strings.HasPrefix(op.Key, rows.KeyClaim) && !strings.HasPrefix(op.Key, rows.KeyNote) {
			return 0, fmt.Errorf("%w: %s", errNotAClaim, op.Key)
		}
	}
	return c.Store.Commit(ctx, tx)
}

func (c claimStore) Compact(context.Context, storage.Revision) error { return errNotAClaim }

func (c claimStore) Close() error { return errNotAClaim }

func (c claimStore) Gets(ctx context.Context, keys []string) (map[string]storage.Entry, error) {
	return storage.Gets(ctx, c.Store, keys)
}

func (c claimStore) GrantWithin(ctx context.Context, within time.Duration) (storage.LeaseID, time.Duration, error) {
	return storage.GrantWithin(ctx, c.Store, within)
}
