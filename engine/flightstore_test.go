package engine_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ownStore is the store of a drawn world as one instance reaches it.
type ownStore struct {
	storage.Store
	blind func(key string) bool // rows that only the instance which wrote them sees; nil means none
	own   func(key string) bool // rows that each instance has for itself; nil means none
	name  string

	mu      sync.Mutex
	written map[string]bool
}

// keyOf is the key of a row in the store that all instances share.
func (s *ownStore) keyOf(key string) string {
	if s.own != nil && s.own(key) {
		return key + "@" + s.name
	}
	return key
}

func (s *ownStore) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	tx.Guards, tx.Ops = slices.Clone(tx.Guards), slices.Clone(tx.Ops)
	for i := range tx.Guards {
		tx.Guards[i].Key = s.keyOf(tx.Guards[i].Key)
	}
	for i := range tx.Ops {
		tx.Ops[i].Key = s.keyOf(tx.Ops[i].Key)
	}
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
	mine := s.keyOf(prefix)
	all, rev, err := s.Store.Range(ctx, mine, at)
	if err == nil && mine != prefix { // a row of its own
		return func(yield func(storage.Entry, error) bool) {
			for e, err := range all {
				if e.Key = strings.TrimSuffix(e.Key, "@"+s.name); !yield(e, err) {
					return
				}
			}
		}, rev, nil
	}
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

// isOpen reports whether a key is that of an open action.
func isOpen(key string) bool { return strings.HasPrefix(key, rows.KeyOpen) }

// isLed reports whether a key is that of the version that the leading loop of a stack has loaded.
func isLed(key string) bool { return strings.HasPrefix(key, rows.KeyLed) }
