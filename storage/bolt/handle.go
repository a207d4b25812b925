package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/storage"
)

// acquireInTime returns the handle, locked, with the file under it being the one at the path, within the time that is
// left to an operation which started to wait at a time.
func (s *Store) acquireInTime(ctx context.Context, begun time.Time, write bool) (*handle, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, s.queue.since(begun).Add(s.timeout), storage.ErrBusy)
	defer cancel()
	for {
		if err := ctx.Err(); err != nil {
			return nil, s.busy(context.Cause(ctx))
		}
		if s.handle == nil {
			file, writable, err := s.openFile()
			if err != nil {
				return nil, s.gone(err)
			}
			s.handle = &handle{file: file, writable: writable, page: make([]byte, pageSize)}
		}
		h := s.handle
		fresh := h.db == nil
		if write && !h.writable {
			return nil, fmt.Errorf("store %s: %w", s.path, fs.ErrPermission)
		}
		// bbolt locks when it opens; this lock is then the same.
		if err := s.wait(ctx, h.file, write || fresh && h.writable); err != nil {
			return nil, err
		}
		valid, err := s.validate(h, write)
		if err != nil {
			s.drop()
			return nil, err
		}
		if valid {
			return h, nil
		}
		s.drop()
	}
}

// release releases the lock, and the handle where a lock needs one.
func (s *Store) release() {
	if s.handle != nil && unlock(s.handle.file) != nil {
		s.drop()
	}
}

// drop closes the handle.
func (s *Store) drop() {
	if s.handle != nil {
		// Nothing is lost: what counts was synced when it was committed.
		if s.handle.db == nil {
			_ = s.handle.file.Close()
		} else {
			_ = s.handle.db.Close()
		}
		s.handle = nil
	}
}

// abandon drops a handle after a panic within bbolt, which may have left its locks locked:
// closing it could block forever. The mapping leaks in a process whose store is damaged; the
// file's lock is released.
func (s *Store) abandon() {
	if s.handle != nil {
		_ = unlock(s.handle.file) // closing would not: the mapping keeps the file, and so its lock
		s.handle.file.Close()
		s.handle = nil
	}
}

// openFile opens for writing, or where that is not allowed for reading.
func (s *Store) openFile() (file *os.File, writable bool, err error) {
	if file, err = os.OpenFile(s.path, os.O_RDWR|vfs.NoFollow, 0); errors.Is(err, fs.ErrPermission) {
		file, err = os.OpenFile(s.path, os.O_RDONLY|vfs.NoFollow, 0)
		return file, false, err
	}
	return file, true, err
}

// validate reports whether the handle may be used as it is: the file is the one at the path, it
// has not outgrown its mapping, and before a write no other process has written it.
func (s *Store) validate(h *handle, write bool) (bool, error) {
	there, err := os.Stat(s.path)
	if err != nil {
		return false, s.gone(err)
	}
	mine, err := h.file.Stat()
	if err != nil {
		return false, s.gone(err)
	}
	if !os.SameFile(there, mine) {
		return false, nil
	}
	fresh := h.db == nil
	if fresh {
		err := s.mapFile(h, mine.Size())
		if errors.Is(err, syscall.ENOMEM) && !s.cramped {
			s.cramped = true
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	txid, err := s.checkPages(h)
	if err != nil {
		return false, err
	}
	if fresh {
		h.txid = txid
	}
	// Each growth of the file costs a sync, unused room costs disk.
	h.db.AllocSize = int(min(max(mine.Size()/64, 32<<10), 16<<20))
	return mine.Size() <= h.mapped && (!write || h.txid == txid), nil
}

// mapFile lets bbolt open the file that is already open and locked.
func (s *Store) mapFile(h *handle, size int64) error {
	// Address space costs nothing, and with it bbolt need not map the file again while it writes: that made a large
	// first write four times slower. Where address space is scarce (32 bits, a limit on the process), or where mapping
	// makes the file as large (Windows), little is reserved.
	h.mapped = max(4<<30, 2*size)
	if s.cramped || runtime.GOOS == "windows" || math.MaxInt == math.MaxInt32 {
		h.mapped = size + max(size/4, 16<<20)
	}
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{
		ReadOnly:        !h.writable,
		Timeout:         time.Second,
		PageSize:        pageSize,
		InitialMmapSize: int(h.mapped),
		FreelistType:    bbolt.FreelistMapType,
		NoStatistics:    true,
		OpenFile:        func(string, int, os.FileMode) (*os.File, error) { return h.file, nil },
	})
	switch {
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch):
		return fmt.Errorf("%s: %w (%w); name another file, or, if it was a store, move it and %s", s.path,
			storage.ErrForeign, err, rebuild)
	case errors.Is(err, berrors.ErrChecksum):
		return s.corrupt(err)
	case err != nil:
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	h.db = db
	return nil
}

// lastTx reads the last transaction of the file, without a handle.
func (s *Store) lastTx() (uint64, error) {
	file, err := os.OpenFile(s.path, os.O_RDONLY|vfs.NoFollow, 0)
	if err != nil {
		return 0, s.gone(err)
	}
	defer file.Close()
	return s.checkPages(&handle{file: file, page: make([]byte, pageSize)})
}

// wait polls until it has the file's lock: an operation holds it for a millisecond or less, so
// waiting is short and fair enough.
func (s *Store) wait(ctx context.Context, file *os.File, alone bool) error {
	pause := 100 * time.Microsecond
	for {
		ok, err := tryLock(file, alone)
		if ok {
			return nil
		}
		if err != nil {
			return fmt.Errorf("store %s: lock it: %w", s.path, err)
		}
		select {
		case <-ctx.Done():
			return s.busy(context.Cause(ctx))
		case <-time.After(pause/2 + rand.N(pause)):
			pause = min(pause*3/2, 5*time.Millisecond)
		}
	}
}

// Close implements storage.Store. It waits for the current operation.
func (s *Store) Close() error {
	s.queue.turn <- struct{}{}
	defer s.queue.leave()
	s.closed = true
	s.drop()
	return nil
}
