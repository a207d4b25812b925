package engine_test

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/ovi-project/ovi/storage"
)

// limited is a store that fails after a number of commits that write unleased keys.
type limited struct {
	storage.Store
	left atomic.Int64
}

var errFull = errors.New("no space left on device")

func (s *limited) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if s.left.Add(-1) < 0 {
		return 0, errFull
	}
	return s.Store.Commit(ctx, tx)
}

// breakRecord lets the store fail after a number of commits.
func (b *bench) breakRecord(commits int64) {
	b.t.Helper()
	b.stop()
	s := &limited{Store: b.store}
	s.left.Store(commits)
	inner := b.store
	b.store = s
	b.start()
	b.store = inner
}

func isFull(err error) bool { return errors.Is(err, errFull) }
