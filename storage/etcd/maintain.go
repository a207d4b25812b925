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

// Compact removes older versions in the whole cluster: etcd has one history for all its users.
// It fails while a large commit is being applied.
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
		// Check the permission first, so that the mark is not written without a compaction.
		// This compacts what is marked already, or nothing.
		if err := s.compact(ctx, max(st.compacted, 1)); err != nil || int64(before) <= st.compacted {
			return err
		}
		if st.staged != nil {
			if err := s.helpOrWait(ctx, *st.staged, &waited); err != nil {
				return err
			}
			continue
		}
		// The mark is written first: readers get ErrCompacted before anything is removed.
		key := s.control("compacted")
		var resp *clientv3.TxnResponse
		err = s.again(ctx, func() error {
			resp, err = s.txn(ctx,
				[]clientv3.Cmp{s.notStaged(), clientv3.Compare(clientv3.ModRevision(s.control("head")), "=", st.head)},
				clientv3.OpPut(key, strconv.FormatInt(int64(before), 10)))
			return err
		})
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
	err := s.again(ctx, func() error {
		_, err := s.client.Compact(ctx, before)
		return err
	})
	if err == nil || errors.Is(err, rpctypes.ErrCompacted) {
		return nil
	}
	err = s.explain("compact", err)
	if e := (*Error)(nil); errors.As(err, &e) && errors.Is(err, rpctypes.ErrPermissionDenied) {
		e.What = "only a user with the role root may compact: etcd has one history for all its users"
		e.Next = "omit --keep-history and let etcd compact automatically (--auto-compaction-mode periodic " +
			"--auto-compaction-retention 2160h), or use a user that may compact"
	}
	return err
}

// Stats returns the size and revision of the store. Bytes is the size of one member's database,
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

// statusWait is how long one endpoint has to answer before the next is asked.
const statusWait = 2 * time.Second

// size asks one endpoint after the other until one answers.
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

// count counts the unleased keys, in pages. A read of keys only does not show which are leased.
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
