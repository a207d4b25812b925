package bolt

import (
	"bytes"
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/ovi-project/ovi/storage"
)

// A writer is a reader that also writes.
type writer struct {
	*reader
	hist        *bbolt.Bucket
	dirty       bool
	changed     []string // keys that the new revision changes
	groupDeltas map[string]*group
	last        []byte // the greatest key in cur when the transaction started
	buf         []byte
	keyOf       []byte // the current key; bbolt copies it
}

func (s *Store) writer(tx *bbolt.Tx) (*writer, error) {
	r, err := s.reader(tx)
	if err != nil {
		return nil, err
	}
	r.trails = nil // a cursor does not survive a write
	w := &writer{reader: r, hist: tx.Bucket(bucketHist), groupDeltas: map[string]*group{}}
	// Pages ordered by time are filled; those ordered by key leave room to grow.
	w.cur.FillPercent = 0.9
	w.hist.FillPercent = 1
	tx.Bucket(bucketLog).FillPercent = 1
	return w, w.sweep()
}

// Commit implements storage.Store.
func (s *Store) Commit(ctx context.Context, tx storage.Tx) (rev storage.Revision, err error) {
	ops, err := tx.Sorted()
	if err != nil {
		return 0, fmt.Errorf("store %s: %w", s.path, err)
	}
	err = s.update(ctx, func(w *writer) error {
		for _, g := range tx.Guards {
			e, err := w.present(g.Key)
			if err != nil {
				return err
			}
			if !g.Holds(e) {
				return fmt.Errorf("store %s: %q: %w: it was created at %d and modified at %d, expected were %d and %d",
					s.path, g.Key, storage.ErrConflict, e.Created, e.Modified, g.Created, g.Modified)
			}
		}
		rev, err = w.apply(ops)
		return err
	})
	if err != nil {
		return 0, err
	}
	return rev, nil
}

// apply writes the operations, which are sorted, and returns the revision to report.
func (w *writer) apply(ops []storage.Op) (storage.Revision, error) {
	// One buffer holds all versions of a transaction. bbolt keeps references to it until the commit, so it must not
	// move while it fills.
	size := 0
	for _, op := range ops {
		size += len(op.Value) + encodedMax
	}
	w.buf = make([]byte, 0, size)
	if key, _ := last(w.cur); key != nil {
		w.last = bytes.Clone(key)
	}
	leasedToo, counter := false, w.st.counter+1
	someLeased, _ := w.leased.Cursor().First()
	for _, op := range ops {
		w.keyOf = append(w.keyOf[:0], op.Key...)
		var old version
		key, leased, err := w.keyOf, false, error(nil)
		if someLeased != nil {
			if old, leased, err = w.leasedNow(key); err != nil {
				return 0, err
			}
		}
		if !leased && (op.Lease == 0 || op.Delete) {
			if err := w.applyPlain(key, op); err != nil {
				return 0, err
			}
			continue
		}
		leasedToo = true
		if err := w.applyLeased(key, op, old, leased, counter); err != nil {
			return 0, err
		}
	}
	if leasedToo {
		w.dirty, w.st.counter = true, counter
	}
	if len(w.changed) > 0 {
		w.dirty = true
		w.st.revision++
	} else if leasedToo {
		return w.st.counter, nil
	}
	return w.st.revision, nil
}

func (w *writer) encode(key string, v *version) []byte {
	start := len(w.buf)
	w.buf = appendVersion(w.buf, key, v)
	return w.buf[start:len(w.buf):len(w.buf)]
}

func (w *writer) applyLeased(key []byte, op storage.Op, old version, exists bool, counter storage.Revision) error {
	if op.Delete {
		return w.leased.Delete(key)
	}
	if op.Lease == 0 {
		return fmt.Errorf("store %s: %w: %q is tied to a lease", w.s.path, storage.ErrInvalid, op.Key)
	}
	if e, err := w.present(op.Key); err != nil {
		return err
	} else if !exists && e.Created != 0 {
		return fmt.Errorf("store %s: %w: %q is not tied to a lease", w.s.path, storage.ErrInvalid, op.Key)
	}
	if _, ok, err := w.lease(op.Lease); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("store %s: %q under lease %d: %w", w.s.path, op.Key, op.Lease, storage.ErrNoLease)
	}
	v := version{flags: flagLease, created: counter, modified: counter, underLease: op.Lease, value: op.Value}
	if exists {
		v.created = old.created
	}
	return w.leased.Put(key, w.encode(op.Key, &v))
}

func (w *writer) applyPlain(key []byte, op storage.Op) error {
	rev := w.st.revision + 1
	v := version{modified: rev, created: rev, value: op.Value}
	var raw []byte // of the newest version; it stays in place until the commit
	var old version
	if bytes.Compare(key, w.last) <= 0 { // else the key is new: a first snapshot needs no searches
		var err error
		if raw, old, _, err = w.find(w.cur, key); err != nil {
			return err
		}
	}
	alive := raw != nil && !old.deleted()
	if op.Delete {
		if !alive {
			return nil
		}
		v.flags, v.value = flagDeleted, nil
	}
	if alive {
		v.created = old.created
	}
	g := w.group(op.Key)
	if raw != nil {
		if err := w.succeed(key, &v, &old); err != nil {
			return err
		}
		if err := w.hist.Put(histKey(nil, rev, key), raw); err != nil {
			return err
		}
		g.remove(&old)
	}
	if err := w.cur.Put(key, w.encode(op.Key, &v)); err != nil {
		return err
	}
	g.add(&v)
	if alive {
		w.st.keys--
	}
	if !op.Delete {
		w.st.keys++
	}
	w.changed = append(w.changed, op.Key)
	return nil
}

// succeed makes v the successor of old: the chain grows by one, and the jump leads where
// the nth version's jump leads.
func (w *writer) succeed(key []byte, v, old *version) error {
	v.flags |= flagPrev
	v.ordinal = old.ordinal + 1
	target := jumpTarget(v.ordinal)
	if target == old.ordinal {
		return nil // the step to the version before is enough
	}
	// old jumps to where the jump of v's target begins, or steps there.
	at := old.jump
	if at == 0 {
		if jumpTarget(old.ordinal) != old.ordinal-1 {
			return nil // old's own jump was compacted away
		}
		at = old.modified
	}
	if at <= w.st.compacted {
		return nil
	}
	far, err := w.before(key, at)
	if err != nil {
		return err
	}
	if v.jump = far.jump; v.jump == 0 && far.flags&flagPrev != 0 && jumpTarget(far.ordinal) == far.ordinal-1 {
		v.jump = far.modified
	}
	return nil
}

func (w *writer) group(key string) *group {
	name := groupOf(key)
	if w.groupDeltas[name] == nil {
		w.groupDeltas[name] = &group{}
	}
	return w.groupDeltas[name]
}

// finish writes what belongs to the whole transaction.
func (w *writer) finish() error {
	if len(w.changed) > 0 {
		if err := putLog(w.tx.Bucket(bucketLog), w.st.revision, w.changed); err != nil {
			return err
		}
		if err := putGroups(w.groups, w.groupDeltas); err != nil {
			return err
		}
	}
	return w.tx.Bucket(bucketMeta).Put(keyState, w.st.encode())
}
