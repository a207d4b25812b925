package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/ovi-project/ovi/storage"
)

// compactStep bounds how many versions one transaction removes, so that other processes can
// use the store between the steps of a large compaction.
const compactStep = 5_000

// Compact implements storage.Maintainer. The new bound is committed first; versions are then
// removed in steps, and the next compaction completes what a crash left.
func (s *Store) Compact(ctx context.Context, before storage.Revision) error {
	err := s.update(ctx, func(w *writer) error {
		if before > w.st.revision {
			_, err := w.resolve(before)
			return err
		}
		if before > w.st.compacted {
			w.st.compacted = before
			w.dirty = true
		}
		return nil
	})
	for more := true; more && err == nil; {
		err = s.update(ctx, func(w *writer) (err error) {
			more, err = w.forget()
			return err
		})
	}
	return err
}

// forget removes the versions of one step: for each revision up to the bound what it
// superseded, the deletions that it made and that are still the newest, and its record.
func (w *writer) forget() (more bool, err error) {
	log := w.tx.Bucket(bucketLog)
	for done := 0; done < compactStep; {
		at, _ := log.Cursor().First()
		if at == nil {
			return false, nil
		}
		rev := storage.Revision(binary.BigEndian.Uint64(at))
		if rev > w.st.compacted {
			return false, nil
		}
		n, err := w.forgetRevision(rev)
		if err != nil {
			return false, err
		}
		done += n + 1
		w.dirty = true
	}
	return true, nil
}

func (w *writer) forgetRevision(rev storage.Revision) (n int, err error) {
	var keys [][]byte
	log := w.tx.Bucket(bucketLog)
	err = changed(log, rev, func(key []byte) (bool, error) {
		keys = append(keys, bytes.Clone(key))
		return false, nil
	})
	if err != nil {
		return 0, w.s.corrupt(err)
	}
	for _, key := range keys {
		if err := w.hist.Delete(histKey(nil, rev, key)); err != nil {
			return 0, err
		}
		v, ok, err := w.newest(key)
		if err != nil {
			return 0, err
		}
		if ok && v.deleted() && v.modified == rev {
			if err := w.cur.Delete(key); err != nil {
				return 0, err
			}
		}
	}
	for part := uint16(0); ; part++ {
		at := logKey(rev, part)
		if log.Get(at) == nil {
			return len(keys), nil
		}
		if err := log.Delete(at); err != nil {
			return 0, fmt.Errorf("store %s: %w", w.s.path, err)
		}
	}
}
