package mem

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// Store is a storage.Store in memory.
type Store struct {
	mu        sync.Mutex
	closed    bool
	rev       storage.Revision
	compacted storage.Revision
	versions  map[string][]storage.Entry // oldest first; deletions included
	order     []storage.Entry            // all versions after compacted, by revision and key
	keys      []string                   // of versions, sorted
	counter   storage.Revision           // of leased keys; survives their deletion
	leased    map[string]leasedEntry
	leases    map[storage.LeaseID]*lease
	lastLease storage.LeaseID
	watches   map[*watching]struct{}
}

type leasedEntry struct {
	storage.Entry
	lease storage.LeaseID
}

type lease struct {
	ttl      time.Duration
	deadline time.Time
}

var (
	_ storage.Store   = (*Store)(nil)
	_ storage.Watcher = (*Store)(nil)
)

// New returns an empty store.
func New() *Store {
	return &Store{
		versions: map[string][]storage.Entry{},
		leased:   map[string]leasedEntry{},
		leases:   map[storage.LeaseID]*lease{},
		watches:  map[*watching]struct{}{},
	}
}

// lock locks the store for one operation and ends expired leases.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, storage.ErrClosed
	}
	now := time.Now()
	for id, l := range s.leases {
		if !now.Before(l.deadline) {
			s.end(id)
		}
	}
	return s.mu.Unlock, nil
}

// Range implements storage.Store.
func (s *Store) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error],
	storage.Revision, error,
) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer unlock()
	rev, err := s.resolve(at)
	if err != nil {
		return nil, 0, err
	}
	var found []storage.Entry
	first, _ := slices.BinarySearch(s.keys, prefix)
	for _, key := range s.keys[first:] {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		if e, ok := visible(s.versions[key], rev); ok && !e.Deleted {
			found = append(found, e)
		}
	}
	if at == storage.Now {
		for key, e := range s.leased {
			if strings.HasPrefix(key, prefix) {
				found = append(found, e.Entry)
			}
		}
	}
	slices.SortFunc(found, func(a, b storage.Entry) int { return strings.Compare(a.Key, b.Key) })
	return yieldAll(ctx, found), rev, nil
}

// History implements storage.Store.
func (s *Store) History(ctx context.Context, key string) iter.Seq2[storage.Entry, error] {
	return s.later(ctx, func() ([]storage.Entry, error) {
		if e, ok := s.leased[key]; ok {
			return []storage.Entry{e.Entry}, nil
		}
		versions := slices.Clone(s.versions[key])
		if len(versions) > 0 && versions[0].Deleted && versions[0].Modified <= s.compacted {
			versions = versions[1:] // a deletion whose earlier versions are compacted
		}
		return versions, nil
	})
}

// Changes implements storage.Store.
func (s *Store) Changes(ctx context.Context, prefix string, after, upTo storage.Revision) iter.Seq2[storage.Entry,
	error] {
	return s.later(ctx, func() ([]storage.Entry, error) {
		last, err := s.resolve(upTo)
		if err != nil {
			return nil, err
		}
		if after < s.compacted {
			return nil, fmt.Errorf("changes after %d: %w (at %d)", after, storage.ErrCompacted, s.compacted)
		}
		first := sort.Search(len(s.order), func(i int) bool { return s.order[i].Modified > after })
		var found []storage.Entry
		for _, e := range s.order[first:] {
			if e.Modified > last {
				break
			}
			if strings.HasPrefix(e.Key, prefix) {
				found = append(found, e)
			}
		}
		return found, nil
	})
}

// Compact implements storage.Maintainer.
func (s *Store) Compact(ctx context.Context, before storage.Revision) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if before > s.rev {
		return fmt.Errorf("compact before %d: %w (now at %d)", before, storage.ErrFuture, s.rev)
	}
	if before <= s.compacted {
		return nil
	}
	s.compacted = before
	for key, versions := range maps.Clone(s.versions) {
		for len(versions) > 1 && versions[1].Modified <= before {
			versions = versions[1:]
		}
		s.versions[key] = versions
		if len(versions) == 1 && versions[0].Deleted && versions[0].Modified <= before {
			delete(s.versions, key)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(e storage.Entry) bool { return e.Modified <= before })
	s.keys = slices.Sorted(maps.Keys(s.versions))
	return nil
}

// Stats implements storage.Maintainer.
func (s *Store) Stats(ctx context.Context) (storage.Stats, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return storage.Stats{}, err
	}
	defer unlock()
	stats := storage.Stats{Revision: s.rev, Compacted: s.compacted}
	for _, versions := range s.versions {
		if !versions[len(versions)-1].Deleted {
			stats.Keys++
		}
	}
	return stats, nil
}

// Close implements storage.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.tell(func(string) bool { return true })
	return nil
}

func (s *Store) resolve(at storage.Revision) (storage.Revision, error) {
	switch {
	case at == storage.Now:
		return s.rev, nil
	case at < s.compacted:
		return 0, fmt.Errorf("revision %d: %w (at %d)", at, storage.ErrCompacted, s.compacted)
	case at > s.rev:
		return 0, fmt.Errorf("revision %d: %w (now at %d)", at, storage.ErrFuture, s.rev)
	}
	return at, nil
}

// later reads when the sequence is iterated, not when it is created.
func (s *Store) later(ctx context.Context, read func() ([]storage.Entry, error)) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		unlock, err := s.lock(ctx)
		if err != nil {
			yield(storage.Entry{}, err)
			return
		}
		found, err := read()
		unlock()
		if err != nil {
			yield(storage.Entry{}, err)
			return
		}
		yieldAll(ctx, found)(yield)
	}
}

func visible(versions []storage.Entry, at storage.Revision) (storage.Entry, bool) {
	for _, e := range slices.Backward(versions) {
		if e.Modified <= at {
			return e, true
		}
	}
	return storage.Entry{}, false
}

// yieldAll yields copies: a caller may change them.
func yieldAll(ctx context.Context, found []storage.Entry) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		for _, e := range found {
			if err := ctx.Err(); err != nil {
				yield(storage.Entry{}, err)
				return
			}
			e.Value = append([]byte{}, e.Value...)
			if !yield(e, nil) {
				return
			}
		}
	}
}
