package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// Compact forgets what is older, in the whole cluster: etcd has one history for all its
// users. It refuses while a large commit is being applied.
func (s *Store) Compact(ctx context.Context, before storage.Revision) error {
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	var waited wait
	for {
		st, err := s.state(ctx)
		if err != nil {
			return err
		}
		if int64(before) > st.head {
			return fmt.Errorf("etcd: compact before %d: %w: the newest is %d", before, storage.ErrFuture, st.head)
		}
		// Whether it may: the mark must not stand where nothing is compacted. This compacts
		// what is marked already, or nothing.
		if err := s.compact(ctx, max(st.compacted, 1)); err != nil || int64(before) <= st.compacted {
			return err
		}
		if st.staged != nil {
			if err := s.helpOrWait(ctx, *st.staged, &waited); err != nil {
				return err
			}
			continue
		}
		// The mark goes first: readers are refused before anything is gone.
		key := s.control("compacted")
		resp, err := s.client.Txn(ctx).
			If(s.notStaged(), clientv3.Compare(clientv3.ModRevision(s.control("head")), "=", st.head)).
			Then(clientv3.OpPut(key, strconv.FormatInt(int64(before), 10))).Commit()
		if err != nil {
			return s.explain("compact", err)
		}
		if resp.Succeeded {
			break
		}
	}
	return s.compact(ctx, int64(before))
}

func (s *Store) compact(ctx context.Context, before int64) error {
	_, err := s.client.Compact(ctx, before)
	if err == nil || errors.Is(err, rpctypes.ErrCompacted) {
		return nil
	}
	err = s.explain("compact", err)
	if e := (*Error)(nil); errors.As(err, &e) && errors.Is(err, rpctypes.ErrPermissionDenied) {
		e.What = "only a user with the role root may compact: etcd has one history for all its users"
		e.Next = "leave --keep-history out and let etcd compact by itself (--auto-compaction-mode periodic --auto-compaction-retention 2160h), or use such a user"
	}
	return err
}

// Stats says how the store stands. Bytes is the size of one member's whole database,
// other users' keys included.
func (s *Store) Stats(ctx context.Context) (storage.Stats, error) {
	st, err := s.stateFor(ctx, storage.Now)
	if err != nil {
		return storage.Stats{}, err
	}
	out := storage.Stats{Revision: storage.Revision(st.head)}
	if out.Compacted, err = s.Oldest(ctx); err != nil {
		return out, err
	}
	if out.Keys, err = s.count(ctx); err != nil {
		return out, err
	}
	out.Bytes, err = s.size(ctx)
	return out, err
}

// statusWait is how long one endpoint has to say how it stands before the next is asked.
const statusWait = 2 * time.Second

// size asks the endpoints in turn, until one answers: any may be down.
func (s *Store) size(ctx context.Context) (int64, error) {
	var last error
	for _, endpoint := range s.client.Endpoints() {
		reqCtx, cancel, err := s.enter(ctx)
		if err != nil {
			return 0, err
		}
		reqCtx, cancelSooner := context.WithTimeout(reqCtx, statusWait)
		status, err := s.client.Status(reqCtx, endpoint)
		cancelSooner()
		cancel()
		if err == nil {
			return status.DbSize, nil
		}
		last = err
	}
	return 0, s.explain("ask for the status", last)
}

// count counts the unleased keys, in pages. A read of keys only would not say which are leased.
func (s *Store) count(ctx context.Context) (int, error) {
	n, from := 0, s.data("")
	for {
		reqCtx, cancel, err := s.enter(ctx)
		if err != nil {
			return 0, err
		}
		resp, err := s.client.Get(reqCtx, from, clientv3.WithRange(clientv3.GetPrefixRangeEnd(s.data(""))),
			clientv3.WithLimit(pageSize))
		cancel()
		if err != nil {
			return 0, s.explain("count", err)
		}
		for _, kv := range resp.Kvs {
			if kv.Lease == 0 {
				n++
			}
		}
		if !resp.More || len(resp.Kvs) == 0 {
			return n, nil
		}
		from = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
	}
}
