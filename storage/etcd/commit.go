package etcd

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// waitStaged is the interval at which a commit checks the large commit that it waits for.
const waitStaged = 20 * time.Millisecond

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

func (s *Store) commit(ctx context.Context, st state, known known, guards []storage.Guard, ops []storage.Op) (_ storage.Revision, again bool, err error) {
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
	resp, err := s.client.Txn(ctx).If(compares...).Then(s.puts(ops, unleased)...).Commit()
	if err != nil {
		return 0, false, s.unsure(err)
	}
	if !resp.Succeeded { // something changed since it was read: read again
		return 0, true, nil
	}
	return storage.Revision(resp.Header.Revision), false, nil
}

// unsure adds ErrUnknown to an error after which the commit may have been applied.
func (s *Store) unsure(err error) error {
	if unanswered(err) {
		return fmt.Errorf("%w: %w", storage.ErrUnknown, s.explain("commit", err))
	}
	return s.explain("commit", err)
}

func (s *Store) notStaged() clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(s.control("staged")), "=", 0)
}

// puts are the writes of a commit; those of unleased keys move the head.
func (s *Store) puts(ops []storage.Op, unleased bool) []clientv3.Op {
	out := make([]clientv3.Op, 0, len(ops)+1)
	for _, op := range ops {
		out = append(out, s.put(op))
	}
	if unleased {
		out = append(out, clientv3.OpPut(s.control("head"), ""))
	}
	return out
}

func (s *Store) put(op storage.Op) clientv3.Op {
	switch {
	case op.Delete:
		return clientv3.OpDelete(s.data(op.Key))
	case op.Lease != 0:
		return clientv3.OpPut(s.data(op.Key), seal(op.Value), clientv3.WithLease(clientv3.LeaseID(op.Lease)))
	}
	return clientv3.OpPut(s.data(op.Key), seal(op.Value))
}

// compares are the guards, and the conditions under which what was read of the written keys is still true.
func (s *Store) compares(st state, guards []storage.Guard, known known, ops []storage.Op) []clientv3.Cmp {
	var out []clientv3.Cmp
	for _, g := range guards {
		created, key := st.inside(g.Created), s.data(g.Key)
		out = append(out, between(clientv3.CreateRevision(key), created)...)
		if g.Modified != 0 {
			out = append(out, between(clientv3.ModRevision(key), st.inside(g.Modified))...)
		}
	}
	for _, op := range ops {
		if op.Delete {
			out = append(out, clientv3.Compare(clientv3.CreateRevision(s.data(op.Key)), "=", known[op.Key].created))
		}
	}
	return out
}

func between(what clientv3.Cmp, sp span) []clientv3.Cmp {
	if sp.First == sp.Last {
		return []clientv3.Cmp{clientv3.Compare(what, "=", sp.First)}
	}
	return []clientv3.Cmp{clientv3.Compare(what, ">", sp.First-1), clientv3.Compare(what, "<", sp.Last+1)}
}

func anyUnleased(ops []storage.Op) bool {
	for _, op := range ops {
		if op.Lease == 0 {
			return true
		}
	}
	return false
}

func tooLarge(guards []storage.Guard, ops []storage.Op) bool {
	if len(guards)+len(ops) > maxOps {
		return true
	}
	n := 0
	for _, op := range ops {
		n += len(op.Key) + len(op.Value)
	}
	return n > maxBytes
}
