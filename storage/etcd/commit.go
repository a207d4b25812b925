package etcd

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/storage"
)

// Commit applies a transaction. It waits while a large commit of another client is being
// applied, and finishes that one if its writer has crashed. Claims wait too: a claim between
// the revisions of a large commit would look like one of its keys, and its token would not be
// the one that its holder got.
func (s *Store) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	ops, err := tx.Sorted()
	if err != nil {
		return 0, err
	}
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	var waited wait
	for {
		st, known, err := s.look(ctx, tx.Guards, ops)
		if err != nil {
			return 0, err
		}
		if st.staged != nil {
			if err := s.helpOrWait(ctx, *st.staged, &waited); err != nil {
				return 0, err
			}
			continue
		}
		rev, again, err := s.commit(ctx, st, known, tx.Guards, ops)
		if again {
			continue
		}
		return rev, err
	}
}

func (s *Store) commit(ctx context.Context, st state, known known, guards []storage.Guard,
	ops []storage.Op,
) (_ storage.Revision, again bool, err error) {
	for _, g := range guards {
		if !known.holds(st, g) {
			return 0, false, fmt.Errorf("etcd: %q: %w", g.Key, storage.ErrConflict)
		}
	}
	if ops, err = known.effective(ops); err != nil || len(ops) == 0 {
		return storage.Revision(st.head), false, err
	}
	unleased := anyUnleased(withKnown(ops, known))
	compares := append(s.compares(st, guards, known, ops), s.notStaged())
	if len(compares) > maxOps || tooLarge(guards, ops) { // a guard on a large commit's key takes up to four
		rev, again, err := s.stage(ctx, st, guards, known, ops)
		return rev, again, err
	}
	resp, err := s.txn(ctx, compares, s.puts(ops, unleased)...)
	if err != nil {
		return 0, false, s.unsure(err)
	}
	if !resp.Succeeded { // something changed since it was read: read again
		return 0, true, nil
	}
	return storage.Revision(resp.Header.Revision), false, nil
}
