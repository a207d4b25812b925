package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// A lease is stored as sum(4) ttl(8) deadline(8) boot.
type lease struct {
	ttl      time.Duration
	deadline time.Duration // on the clock of the boot
	boot     string
}

func leaseKey(id storage.LeaseID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func (l lease) encode(key []byte) []byte {
	b := make([]byte, 4, 20+len(l.boot))
	b = binary.BigEndian.AppendUint64(b, uint64(l.ttl))
	b = binary.BigEndian.AppendUint64(b, uint64(l.deadline))
	b = append(b, l.boot...)
	binary.LittleEndian.PutUint32(b, sumOf(key, b[4:]))
	return b
}

func decodeLease(key, raw []byte) (lease, error) {
	if len(key) != 8 || len(raw) < 20 || binary.LittleEndian.Uint32(raw) != sumOf(key, raw[4:]) {
		return lease{}, errDamaged
	}
	return lease{
		ttl:      time.Duration(binary.BigEndian.Uint64(raw[4:])),
		deadline: time.Duration(binary.BigEndian.Uint64(raw[12:])),
		boot:     string(raw[20:]),
	}, nil
}

// ended reports whether the lease has expired by this host's clock. All leases of an earlier boot
// have: their holders ended with it.
func (l lease) ended(boot string, now time.Duration) bool {
	return l.boot != boot || now >= l.deadline
}

// lease returns a lease that has not ended.
func (r *reader) lease(id storage.LeaseID) (l lease, ok bool, err error) {
	key := leaseKey(id)
	raw := r.leases.Get(key)
	if raw == nil {
		return l, false, r.eachLease(func([]byte, lease) {}) // deleted, or hidden by damage?
	}
	if l, err = decodeLease(key, raw); err != nil {
		return l, false, r.s.corrupt(fmt.Errorf("lease %d: %w", id, err))
	}
	return l, !l.ended(r.s.clock()), nil
}

func (r *reader) eachLease(fn func(key []byte, l lease)) error {
	return r.leases.ForEach(func(key, raw []byte) error {
		l, err := decodeLease(key, raw)
		if err != nil {
			return r.s.corrupt(fmt.Errorf("lease %x: %w", key, err))
		}
		fn(key, l)
		return nil
	})
}

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
		if err == nil && ending[v.lease] {
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
