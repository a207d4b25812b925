package mem

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// Commit implements storage.Store.
func (s *Store) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	ops, err := tx.Sorted()
	if err != nil {
		return 0, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	for _, g := range tx.Guards {
		if e := s.present(g.Key); !g.Holds(e) {
			return 0, fmt.Errorf("%q: %w: created %d modified %d, expected %d and %d",
				g.Key, storage.ErrConflict, e.Created, e.Modified, g.Created, g.Modified)
		}
	}
	if err := s.check(ops); err != nil {
		return 0, err
	}
	return s.apply(ops), nil
}

// check rejects what cannot be applied, before anything is applied.
func (s *Store) check(ops []storage.Op) error {
	for _, op := range ops {
		_, leased := s.leased[op.Key]
		switch {
		case op.Delete:
		case op.Lease == 0 && leased:
			return fmt.Errorf("%w: %q is tied to a lease", storage.ErrInvalid, op.Key)
		case op.Lease != 0 && !leased && s.present(op.Key).Created != 0:
			return fmt.Errorf("%w: %q is not tied to a lease", storage.ErrInvalid, op.Key)
		case op.Lease != 0 && s.leases[op.Lease] == nil:
			return fmt.Errorf("%q under lease %d: %w", op.Key, op.Lease, storage.ErrNoLease)
		}
	}
	return nil
}

func (s *Store) apply(ops []storage.Op) storage.Revision {
	rev, counter := s.rev+1, s.counter+1
	var plain, leased bool
	for _, op := range ops {
		if _, ok := s.leased[op.Key]; !ok && (op.Lease == 0 || op.Delete) {
			if s.applyPlain(op, rev) {
				plain = true
				s.changed(op.Key)
			}
			continue
		}
		s.changed(op.Key)
		leased = true
		s.applyLeased(op, counter)
	}
	if plain {
		s.rev = rev
	}
	if leased {
		s.counter = counter
	}
	if leased && !plain {
		return s.counter
	}
	return s.rev
}

func (s *Store) applyLeased(op storage.Op, counter storage.Revision) {
	if op.Delete {
		delete(s.leased, op.Key)
		return
	}
	e := storage.Entry{Key: op.Key, Value: append([]byte{}, op.Value...), Created: counter, Modified: counter}
	if old, ok := s.leased[op.Key]; ok {
		e.Created = old.Created
	}
	s.leased[op.Key] = leasedEntry{e, op.Lease}
}

func (s *Store) applyPlain(op storage.Op, rev storage.Revision) (changed bool) {
	old := s.present(op.Key)
	if op.Delete && old.Created == 0 {
		return false
	}
	e := storage.Entry{Key: op.Key, Created: old.Created, Modified: rev, Deleted: op.Delete}
	if old.Created == 0 {
		e.Created = rev
	}
	if !op.Delete {
		e.Value = append([]byte{}, op.Value...)
	}
	if _, known := s.versions[op.Key]; !known {
		at, _ := slices.BinarySearch(s.keys, op.Key)
		s.keys = slices.Insert(s.keys, at, op.Key)
	}
	s.versions[op.Key] = append(s.versions[op.Key], e)
	s.order = append(s.order, e)
	return true
}

// present returns the live version of a key, or the zero entry.
func (s *Store) present(key string) storage.Entry {
	if e, ok := s.leased[key]; ok {
		return e.Entry
	}
	versions := s.versions[key]
	if len(versions) == 0 || versions[len(versions)-1].Deleted {
		return storage.Entry{}
	}
	return versions[len(versions)-1]
}

// Grant implements storage.Leaser.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (storage.LeaseID, error) {
	if ttl <= 0 {
		return 0, fmt.Errorf("%w: a lease of %s", storage.ErrInvalid, ttl)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	s.lastLease++
	s.leases[s.lastLease] = &lease{ttl, time.Now().Add(ttl)}
	return s.lastLease, nil
}

// KeepAlive implements storage.Leaser.
func (s *Store) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	l := s.leases[id]
	if l == nil {
		return fmt.Errorf("lease %d: %w", id, storage.ErrNoLease)
	}
	l.deadline = time.Now().Add(l.ttl)
	return nil
}

// Revoke implements storage.Leaser.
func (s *Store) Revoke(ctx context.Context, id storage.LeaseID) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s.end(id)
	return nil
}

func (s *Store) end(id storage.LeaseID) {
	if s.leases[id] == nil {
		return
	}
	delete(s.leases, id)
	for key, e := range s.leased {
		if e.lease == id {
			delete(s.leased, key)
			s.changed(key)
		}
	}
	s.counter++
}
