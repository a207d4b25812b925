package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// aliveTTL is how long the parts of a large commit are kept after the last renewal of its writer,
// which renews every aliveParts parts.
const (
	aliveTTL   = 10 * time.Second
	aliveParts = 16
)

// standstill is how long etcd may be unchanged before a waiting client finishes a large commit
// that was decided, even if its writer still runs. Any client may finish what was decided, at the
// same time as its writer too.
const standstill = time.Second

// stage commits what does not fit in one etcd transaction; see the package's documentation.
func (s *Store) stage(ctx context.Context, st state, guards []storage.Guard, known known,
	ops []storage.Op,
) (_ storage.Revision, again bool, err error) {
	lease, err := s.client.Grant(ctx, int64(aliveTTL/time.Second))
	if err != nil {
		return 0, false, s.explain("grant a lease", err)
	}
	defer func() { _, _ = s.client.Revoke(context.WithoutCancel(ctx), lease.ID) }()
	plan := staged{ID: ulid.Make().String()}
	plan.Alive = "s/alive/" + plan.ID
	err = s.again(ctx, func() error {
		_, err := s.client.Put(ctx, s.prefix+plan.Alive, "", clientv3.WithLease(lease.ID))
		return err
	})
	if err != nil {
		return 0, false, s.explain("stage", err)
	}
	if err := s.sweep(ctx); err != nil {
		return 0, false, err
	}
	renew := func() error {
		_, err := s.client.KeepAliveOnce(ctx, lease.ID)
		if errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return nil // the decision checks that
		}
		return err
	}
	if plan.Parts, err = s.writeParts(ctx, plan.ID, ops, renew); err != nil {
		return 0, false, err
	}
	if plan.rev, err = s.decide(ctx, st, guards, known, ops, plan); err != nil || plan.rev == 0 {
		return 0, err == nil, err
	}
	rev, err := s.finish(ctx, plan)
	if err != nil { // it is decided: another client finishes it
		return 0, false, fmt.Errorf("%w: %w", storage.ErrUnknown, err)
	}
	return rev, false, nil
}

// decide decides the commit, if its guards hold and the writer's own key still exists (without it
// another client may have removed the parts); 0 means that something changed. Guards on unleased
// keys were read after the head and held: if the head has not moved since, none of those keys has
// changed. Claims do not move the head, and are guards of the transaction themselves.
func (s *Store) decide(ctx context.Context, st state, guards []storage.Guard, known known, ops []storage.Op,
	plan staged,
) (int64, error) {
	value, err := json.Marshal(plan)
	if err != nil {
		return 0, err
	}
	leased := slices.DeleteFunc(slices.Clone(guards), func(g storage.Guard) bool { return !known[g.Key].leased })
	if len(leased) > maxOps {
		return 0, fmt.Errorf("etcd: %w: %d guards on leased keys, at most %d are allowed", storage.ErrInvalid, len(leased),
			maxOps)
	}
	compares := append(s.compares(st, leased, known, nil), s.notStaged(),
		clientv3.Compare(clientv3.ModRevision(s.control("head")), "=", st.head),
		clientv3.Compare(clientv3.CreateRevision(s.prefix+plan.Alive), ">", 0))
	resp, err := s.txn(ctx, compares, clientv3.OpPut(s.control("staged"), string(value)))
	if err != nil {
		return 0, s.unsure(err)
	}
	if !resp.Succeeded {
		return 0, nil
	}
	return resp.Header.Revision, nil
}

// finish applies a decided commit. Several clients may do so at once, and again after a crash.
func (s *Store) finish(ctx context.Context, plan staged) (storage.Revision, error) {
	mine := clientv3.Compare(clientv3.CreateRevision(s.control("staged")), "=", plan.rev)
	for n := range plan.Parts {
		p, err := s.readPart(ctx, plan, n)
		if err != nil {
			return 0, err
		}
		if p == nil {
			return s.finishedBy(ctx, plan)
		}
		if err := s.applyPart(ctx, plan, p, mine); err != nil {
			return 0, err
		}
	}
	// The final transaction's own revision ends the span. Its key carries a number that can
	// only be known afterwards, so it has the name of the decision and is found by its revision.
	var resp *clientv3.TxnResponse
	err := s.again(ctx, func() (err error) { // if it was applied, another client has finished the commit
		resp, err = s.txn(ctx, []clientv3.Cmp{mine},
			clientv3.OpPut(s.control("head"), ""),
			clientv3.OpPut(s.control("big/"+strconv.FormatInt(plan.rev, 10)), strconv.FormatInt(plan.rev+1, 10)),
			clientv3.OpDelete(s.control("staged")),
			clientv3.OpDelete(s.prefix+"s/"+plan.ID+"/", clientv3.WithPrefix()),
		)
		return err
	})
	if err != nil {
		return 0, s.explain("apply a large commit", err)
	}
	if resp.Succeeded {
		return storage.Revision(resp.Header.Revision), nil
	}
	return s.finishedBy(ctx, plan)
}

// finishedBy is the revision at which another client finished the commit.
func (s *Store) finishedBy(ctx context.Context, plan staged) (storage.Revision, error) {
	resp, err := s.client.Get(ctx, s.control("big/"+strconv.FormatInt(plan.rev, 10)))
	if err != nil {
		return 0, s.explain("apply a large commit", err)
	}
	if len(resp.Kvs) == 0 {
		return 0, fmt.Errorf("etcd: large commit %s: %w: the record of its end is missing", plan.ID, storage.ErrCorrupt)
	}
	return storage.Revision(resp.Kvs[0].ModRevision), nil
}

// wait is the state of waiting for a large commit: which one, and when etcd last changed.
type wait struct {
	plan  int64
	at    int64
	since time.Time
}

// still reports that etcd has not changed for too long.
func (w *wait) still(plan staged, at int64) bool {
	if w.plan != plan.rev || w.at != at {
		*w = wait{plan.rev, at, time.Now()}
	}
	return time.Since(w.since) > standstill
}

// helpOrWait finishes a large commit whose writer has crashed or stopped, or waits a little.
func (s *Store) helpOrWait(ctx context.Context, plan staged, w *wait) error {
	resp, err := s.client.Get(ctx, s.prefix+plan.Alive, clientv3.WithCountOnly())
	if err != nil {
		return s.explain("wait for a large commit", err)
	}
	if resp.Count == 0 || w.still(plan, resp.Header.Revision) {
		_, err := s.finish(ctx, plan)
		return err
	}
	select {
	case <-time.After(waitStaged):
		return nil
	case <-ctx.Done():
		return s.explain("wait for a large commit", ctx.Err())
	}
}

// sweep deletes parts whose writers crashed before they decided.
func (s *Store) sweep(ctx context.Context) error {
	resp, err := s.client.Get(ctx, s.prefix+"s/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return s.explain("stage", err)
	}
	st, err := s.state(ctx)
	if err != nil {
		return err
	}
	alive, dead := map[string]bool{}, map[string]bool{}
	if st.staged != nil {
		alive[st.staged.ID] = true
	}
	for _, kv := range resp.Kvs {
		if id, ok := s.aliveID(string(kv.Key)); ok {
			alive[id] = true
		} else {
			dead[s.partID(string(kv.Key))] = true
		}
	}
	for id := range dead {
		if alive[id] {
			continue
		}
		err := s.again(ctx, func() error {
			_, err := s.client.Delete(ctx, s.prefix+"s/"+id+"/", clientv3.WithPrefix())
			return err
		})
		if err != nil {
			return s.explain("stage", err)
		}
	}
	return nil
}

// waitStaged is the interval at which a commit checks the large commit that it waits for.
const waitStaged = 20 * time.Millisecond
