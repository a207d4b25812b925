package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ovi-project/ovi/internal/boottime"
	"github.com/ovi-project/ovi/storage"
)

var (
	_ storage.Store         = (*Store)(nil)
	_ storage.Borrower      = (*Store)(nil)
	_ storage.Watcher       = (*Store)(nil)
	_ storage.BoundedLeaser = (*Store)(nil)
)

// Open creates the file if it is missing (in a directory that exists), checks that it is a
// store of a supported format, and keeps nothing open. ErrNewer, ErrForeign, ErrCorrupt
// and ErrBusy name the file.
func Open(path string, opts ...Option) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	s := &Store{path: abs, timeout: 10 * time.Second, clock: boottime.Host(), queue: newQueue()}
	for _, opt := range opts {
		opt(s)
	}
	if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
		if err := s.create(); err != nil {
			return nil, fmt.Errorf("store %s: create it: %w", abs, err)
		}
	}
	if err := s.view(context.Background(), func(*reader) error { return nil }); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

// create writes an empty store to a temporary file and links it, so that a crash leaves no
// incomplete store, and one of several processes wins.
func (s *Store) create() error {
	dir := filepath.Dir(s.path)
	fresh, err := os.CreateTemp(dir, filepath.Base(s.path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(fresh.Name())
	if err := fresh.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(fresh.Name(), 0o600, &bbolt.Options{PageSize: pageSize, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Update(initialize), db.Close()); err != nil {
		return err
	}
	err = os.Link(fresh.Name(), s.path)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil { // no hard links here
		err = os.Rename(fresh.Name(), s.path)
	}
	if err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// initialize creates the buckets. Counters start at the time, not at 0: a store that is rebuilt
// after a loss must not reuse a token or a lease.
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
