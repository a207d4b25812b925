package etcd

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// Oldest implements storage.OldestReader. The cluster may have compacted more than ovi did: by a
// policy of its own, or for another of its users.
func (s *Store) Oldest(ctx context.Context) (storage.Revision, error) {
	st, err := s.stateFor(ctx, storage.Now)
	if err != nil {
		return 0, err
	}
	oldest := st.compacted
	if _, err = s.version(ctx, st, "", max(oldest, st.born)); errors.Is(err, storage.ErrCompacted) {
		oldest, err = s.forgotten(ctx, max(oldest, st.born))
	}
	return st.outside(oldest), err // nothing can be read within a large commit
}

// forgotten is the revision up to which the cluster is compacted, given a readable one: a watch
// that starts there reports it.
func (s *Store) forgotten(ctx context.Context, from int64) (int64, error) {
	ctx, cancel, err := s.enter(clientv3.WithRequireLeader(ctx))
	if err != nil {
		return 0, err
	}
	defer cancel()
	for resp := range s.client.Watch(ctx, s.control("head"), clientv3.WithRev(from)) {
		if resp.CompactRevision > 0 {
			return resp.CompactRevision, nil
		}
		if err := resp.Err(); err != nil {
			return 0, s.explain("find the oldest revision", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, s.explain("find the oldest revision", err)
	}
	return 0, fmt.Errorf("etcd at %s: find the oldest revision: the watch ended early; retry", s.where)
}
