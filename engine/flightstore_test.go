package engine_test

import (
	"context"
	"iter"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ownStore is the store of a drawn world as one instance reaches it.
type ownStore struct {
	storage.Store
	blind func(key string) bool // rows that only the instance which wrote them sees; nil means none

	mu      sync.Mutex
	written map[string]bool
}

func (s *ownStore) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	s.mu.Lock()
	for _, o := range tx.Ops {
		s.written[o.Key] = s.blind != nil && s.blind(o.Key)
	}
	s.mu.Unlock()
	return s.Store.Commit(ctx, tx)
}

func (s *ownStore) hides(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blind(key) && !s.written[key]
}

func (s *ownStore) Range(
	ctx context.Context, prefix string, at storage.Revision,
) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	all, rev, err := s.Store.Range(ctx, prefix, at)
	if err != nil || s.blind == nil {
		return all, rev, err
	}
	return func(yield func(storage.Entry, error) bool) {
		for e, err := range all {
			if (err != nil || !s.hides(e.Key)) && !yield(e, err) {
				return
			}
		}
	}, rev, nil
}

// ofMember reports whether a key is that of the open action of a member of the count.
func ofMember(key string) bool {
	return strings.HasPrefix(key, rows.KeyOpen) && strings.Contains(key, "/server/c-")
}
