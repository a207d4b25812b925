package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// sweep ends expired leases. Each operation that writes starts with it, so that the keys of a
// crashed holder are deleted without an operator and without a daemon.
func (w *writer) sweep() error {
	boot, now := w.s.clock()
	var over, ahead [][]byte
	err := w.eachLease(func(key []byte, l lease) {
		switch {
		case l.ended(boot, now):
			over = append(over, bytes.Clone(key))
		case l.deadline > now+l.ttl:
			ahead = append(ahead, bytes.Clone(key))
		}
	})
	for _, key := range ahead {
		// The clock restarted without another boot id. The lease runs from now.
		if err == nil {
			err = w.renew(storage.LeaseID(binary.BigEndian.Uint64(key)))
		}
	}
	if err != nil || len(over) == 0 {
		return err
	}
	return w.end(over)
}

// end deletes leases and the keys that are tied to them.
func (w *writer) end(ids [][]byte) error {
	ending := map[storage.LeaseID]bool{}
	for _, id := range ids {
		ending[storage.LeaseID(binary.BigEndian.Uint64(id))] = true
		if err := w.leases.Delete(id); err != nil {
			return err
		}
	}
	var gone [][]byte
	err := w.leased.ForEach(func(key, raw []byte) error {
		v, err := w.decode(key, raw)
		if err == nil && ending[v.underLease] {
			gone = append(gone, bytes.Clone(key))
		}
		return err
	})
	for _, key := range gone {
		if err == nil {
			err = w.leased.Delete(key)
		}
	}
	w.st.counter++
	w.dirty = true
	return err
}

// Grant implements storage.Leaser.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (storage.LeaseID, error) {
	if ttl <= 0 {
		return 0, fmt.Errorf("store %s: %w: a lease of %s", s.path, storage.ErrInvalid, ttl)
	}
	var id storage.LeaseID
	err := s.update(ctx, func(w *writer) error {
		w.st.lastLease++
		id = w.st.lastLease
		return w.promise(id, ttl)
	})
	return id, err
}

// KeepAlive implements storage.Leaser.
func (s *Store) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	return s.update(ctx, func(w *writer) error {
		l, ok, err := w.lease(id)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("store %s: lease %d: %w", s.path, id, storage.ErrNoLease)
		}
		return w.promise(id, l.ttl)
	})
}

// renew lets a stored lease, ended or not, run its time from now.
func (w *writer) renew(id storage.LeaseID) error {
	l, _, err := w.lease(id)
	if err != nil {
		return err
	}
	return w.promise(id, l.ttl)
}

// promise reads the clock before the commit, so the lease counts from a time at which the holder
// was still waiting: the holder, which counts from before its request, stops first.
func (w *writer) promise(id storage.LeaseID, ttl time.Duration) error {
	boot, now := w.s.clock()
	w.dirty = true
	key := leaseKey(id)
	return w.leases.Put(key, lease{ttl, now + ttl, boot}.encode(key))
}

// Revoke implements storage.Leaser.
func (s *Store) Revoke(ctx context.Context, id storage.LeaseID) error {
	return s.update(ctx, func(w *writer) error {
		if w.leases.Get(leaseKey(id)) == nil {
			return nil
		}
		return w.end([][]byte{leaseKey(id)})
	})
}
