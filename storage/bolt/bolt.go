package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sync/semaphore"

	"github.com/ovi-project/ovi/internal/boottime"
	"github.com/ovi-project/ovi/storage"
)

// Store is a storage.Store in one file.
type Store struct {
	path    string
	timeout time.Duration
	clock   boottime.Clock
	turns   *semaphore.Weighted // goroutines of this process take turns here, in order
	closed  atomic.Bool
}

var _ storage.Store = (*Store)(nil)

// An Option changes how a store is opened.
type Option func(*Store)

// WithTimeout bounds how long an operation waits for other processes; 10 s unless told.
func WithTimeout(d time.Duration) Option { return func(s *Store) { s.timeout = d } }

// WithClock replaces the clock that leases are judged by. It is the clock of this boot: the
// date neither frees a claim nor keeps one, a host that slept finds its leases ended, and
// after a reboot, which no holder survived, all of them have ended.
func WithClock(c boottime.Clock) Option { return func(s *Store) { s.clock = c } }

// Open makes the file if there is none (in a directory that exists), checks that it is a
// store of a format known here, and keeps nothing open. ErrNewer, ErrForeign, ErrCorrupt
// and ErrBusy name the file.
func Open(path string, opts ...Option) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	s := &Store{path: abs, timeout: 10 * time.Second, clock: boottime.Host(), turns: semaphore.NewWeighted(everyTurn)}
	for _, opt := range opts {
		opt(s)
	}
	ctx := context.Background()
	if info, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		if err := s.create(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.view(ctx, func(*reader) error { return nil })
}

// create writes an empty store beside the place and moves it there, so that a crash never
// leaves half a store.
func (s *Store) create(ctx context.Context) error {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return err
	}
	defer unlock()
	if info, err := os.Stat(s.path); err == nil && info.Size() > 0 {
		return nil // another process was faster
	}
	fresh := s.path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	db, err := bbolt.Open(fresh, 0o600, &bbolt.Options{PageSize: pageSize, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("store %s: make it: %w", s.path, err)
	}
	if err := errors.Join(db.Update(initialize), db.Close()); err != nil {
		return fmt.Errorf("store %s: make it: %w", s.path, err)
	}
	if err := os.Rename(fresh, s.path); err != nil {
		return fmt.Errorf("store %s: make it: %w", s.path, err)
	}
	return syncDir(filepath.Dir(s.path))
}

// initialize makes the buckets. Counters start at the time, not at 0: a store that is
// rebuilt after a loss must not hand out a token or a lease that was handed out before.
func initialize(tx *bbolt.Tx) error {
	for _, name := range buckets() {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	seed := time.Now().UnixMicro()
	st := state{counter: storage.Revision(seed), lastLease: storage.LeaseID(seed)}
	return tx.Bucket(bucketMeta).Put(keyState, st.encode())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Stats implements storage.Maintainer.
func (s *Store) Stats(ctx context.Context) (storage.Stats, error) {
	var stats storage.Stats
	err := s.view(ctx, func(r *reader) error {
		stats = storage.Stats{Revision: r.st.revision, Compacted: r.st.compacted, Keys: int(r.st.keys)}
		info, err := os.Stat(s.path)
		if err == nil {
			stats.Bytes = info.Size()
		}
		return err
	})
	return stats, err
}

// Close implements storage.Store. Operations that are under way finish.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}
