package bolt

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ovi-project/ovi/storage"
)

// view runs fn on the store as it stands now. Nothing that fn was given outlives it.
func (s *Store) view(ctx context.Context, fn func(*reader) error) error {
	return s.locked(ctx, false, func(h *handle) error {
		return h.db.View(func(tx *bbolt.Tx) error {
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
	return s.locked(ctx, true, func(h *handle) error {
		tx, err := h.db.Begin(true)
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
			s.drop()
			// If the new meta page is readable, only its sync failed, and what the disk holds is unknown.
			txid, unread := s.lastTx()
			if unread != nil || txid >= uint64(id) {
				return fmt.Errorf("store %s: %w: %w", s.path, storage.ErrUnknown, err)
			}
			return fmt.Errorf("store %s: nothing was changed: %w", s.path, err)
		}
		h.txid = uint64(id)
		return nil
	})
}

// locked runs fn while this goroutine has the store: alone if it writes, beside readers of
// other processes if it reads. Faults and panics of a damaged file become ErrCorrupt.
func (s *Store) locked(ctx context.Context, write bool, fn func(*handle) error) (err error) {
	begun := time.Now()
	if err := s.queue.enter(ctx, s.timeout); err != nil {
		return s.busy(err)
	}
	defer s.queue.leave()
	if s.closed {
		return fmt.Errorf("store %s: %w", s.path, storage.ErrClosed)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			s.abandon()
			err = s.corrupt(fmt.Errorf("%v", p))
		}
	}()
	h, err := s.acquireInTime(ctx, begun, write)
	if err != nil {
		return err
	}
	s.queue.begin()
	defer s.release()
	return fn(h)
}
