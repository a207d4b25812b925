package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/ovi-project/ovi/storage"
)

const (
	pageSize  = 4 << 10
	everyTurn = math.MaxInt32
	rebuild   = "rebuild the store from the log: ovi audit replay --into"
)

// lock takes the store for this process and this goroutine: alone, or beside other readers.
func (s *Store) lock(ctx context.Context, alone bool) (unlock func(), err error) {
	if s.closed.Load() {
		return nil, fmt.Errorf("store %s: %w", s.path, storage.ErrClosed)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, storage.ErrBusy)
	defer cancel()
	turns := int64(1)
	if alone {
		turns = everyTurn
	}
	if s.turns.Acquire(ctx, turns) != nil {
		return nil, s.busy(ctx)
	}
	file, err := os.OpenFile(s.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		s.turns.Release(turns)
		return nil, fmt.Errorf("store %s: %w", s.path, err)
	}
	unlock = func() { file.Close(); s.turns.Release(turns) } // closing lets the lock go
	wait := 100 * time.Microsecond
	for {
		ok, err := tryLock(file, alone)
		if ok {
			return unlock, nil
		}
		if err != nil {
			unlock()
			return nil, fmt.Errorf("store %s: lock it: %w", s.path, err)
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, s.busy(ctx)
		case <-time.After(wait/2 + rand.N(wait)):
			wait = min(wait*3/2, 5*time.Millisecond)
		}
	}
}

func (s *Store) busy(ctx context.Context) error {
	err := context.Cause(ctx)
	if !errors.Is(err, storage.ErrBusy) {
		return err
	}
	return fmt.Errorf("store %s: %w: another process has held it for %s; see who with: fuser -v %s",
		s.path, storage.ErrBusy, s.timeout, s.path)
}

// open opens the file for one operation. It must exist: a store that vanished must not be
// taken for an empty one.
func (s *Store) open(ctx context.Context, write bool) (db *bbolt.DB, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store %s has vanished: %w; %s", s.path, err, rebuild)
	}
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", s.path, err)
	}
	var file *os.File
	defer func() {
		// A damaged list of free pages makes bbolt panic with the file open and locked.
		if p := recover(); p != nil {
			file.Close()
			db, err = nil, s.corrupt(fmt.Errorf("%v", p))
		}
	}()
	db, err = bbolt.Open(s.path, 0o600, &bbolt.Options{
		ReadOnly:        !write,
		Timeout:         s.timeout,
		PageSize:        pageSize,
		InitialMmapSize: mapSize(info.Size()),
		FreelistType:    bbolt.FreelistMapType,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag&^os.O_CREATE, mode)
			return file, err
		},
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("store %s: %w: a process that is not ovi has held it for %s; see who with: fuser -v %s", s.path, storage.ErrBusy, s.timeout, s.path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, fmt.Errorf("%s: %w (%w); name another file, or if it was one, move it away and %s", s.path, storage.ErrForeign, err, rebuild)
	case errors.Is(err, berrors.ErrChecksum):
		return nil, s.corrupt(err)
	case err != nil:
		return nil, fmt.Errorf("store %s: %w", s.path, err)
	}
	if err := s.checkPages(file, db.Info().PageSize); err != nil {
		db.Close()
		return nil, err
	}
	// The file grows by a sixteenth: each growth costs a sync, unused room costs disk.
	db.AllocSize = int(min(max(info.Size()/16, 64<<10), 16<<20))
	return db, nil
}

// mapSize reserves address space, which costs nothing, so that bbolt need not map the file
// anew while it writes: that made a large first write four times slower.
func mapSize(size int64) int {
	if math.MaxInt == math.MaxInt32 {
		return int(min(max(2*size, 256<<20), 1<<30))
	}
	return int(max(4<<30, 2*size))
}

// view runs fn on the store as it stands now. Nothing that fn was given outlives it.
func (s *Store) view(ctx context.Context, fn func(*reader) error) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	return s.guarded(ctx, false, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			r, err := s.reader(tx)
			if err != nil {
				return err
			}
			return fn(r)
		})
	})
}

// update runs fn and commits what it did, or leaves everything as it was.
func (s *Store) update(ctx context.Context, fn func(*writer) error) error {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return err
	}
	defer unlock()
	return s.guarded(ctx, true, func(db *bbolt.DB) error {
		tx, err := db.Begin(true)
		if err != nil {
			return fmt.Errorf("store %s: %w", s.path, err)
		}
		defer tx.Rollback() // after a commit it does nothing
		w, err := s.writer(tx)
		if err != nil {
			return err
		}
		if err := fn(w); err != nil || !w.dirty {
			return err
		}
		if err := w.finish(); err != nil {
			return fmt.Errorf("store %s: %w", s.path, err)
		}
		id := tx.ID()
		if err := tx.Commit(); err != nil {
			return s.failed(db, id, err)
		}
		return nil
	})
}

// failed tells a commit that did not happen from one that may have: if the new meta page
// can be seen, only its sync failed, and nobody knows what the disk holds.
func (s *Store) failed(db *bbolt.DB, id int, cause error) error {
	seen := false
	err := db.View(func(tx *bbolt.Tx) error { seen = tx.ID() >= id; return nil })
	if seen || err != nil {
		return fmt.Errorf("store %s: %w: %w", s.path, storage.ErrUnknown, cause)
	}
	return fmt.Errorf("store %s: nothing was changed: %w", s.path, cause)
}

// guarded opens the file, runs fn, and turns faults and panics of a damaged file into
// ErrCorrupt.
func (s *Store) guarded(ctx context.Context, write bool, fn func(*bbolt.DB) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, err := s.open(ctx, write)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = s.corrupt(fmt.Errorf("%v", p))
		}
		if closeErr := db.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("store %s: %w", s.path, closeErr)
		}
	}()
	return fn(db)
}

func (s *Store) corrupt(cause error) error {
	return fmt.Errorf("store %s: %w: %w; %s", s.path, storage.ErrCorrupt, cause, rebuild)
}
