package etcd

import (
	"context"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// rewatch is the pause before a broken watch is restarted.
const rewatch = 500 * time.Millisecond

// Watch implements storage.Watcher. All watches of a handle share one stream to etcd. One that
// breaks, as for a member without a leader or after a compaction past it, is restarted from now,
// with a notice.
func (s *Store) Watch(ctx context.Context, prefix string, notice func() bool) error {
	for {
		more, err := s.watchOnce(ctx, prefix, notice)
		switch {
		case !more:
			return nil
		case s.closed.Load():
			return fmt.Errorf("etcd: %w", storage.ErrClosed)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !unanswered(err):
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(rewatch):
		}
	}
}

// watchOnce watches until notice returns false, or the watch breaks.
func (s *Store) watchOnce(ctx context.Context, prefix string, notice func() bool) (more bool, err error) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	changes := s.client.Watch(ctx, s.data(prefix), clientv3.WithPrefix(), clientv3.WithPrevKV(),
		clientv3.WithCreatedNotify())
	for resp := range changes {
		switch {
		case resp.CompactRevision > 0:
			return true, nil
		case resp.Err() != nil:
			return true, s.explain("watch", resp.Err())
		case !resp.Created && len(resp.Events) == 0:
			continue
		}
		if err := s.visible(ctx, resp.Events); err != nil {
			return true, err
		}
		if !notice() {
			return false, nil
		}
	}
	return true, nil
}

// visible waits until the change is readable: a large commit is readable only after its end.
func (s *Store) visible(ctx context.Context, events []*clientv3.Event) error {
	leased := func(kv *mvccpb.KeyValue) bool { return kv != nil && kv.Lease != 0 }
	for _, ev := range events {
		if !leased(ev.Kv) && !leased(ev.PrevKv) {
			return s.unstaged(ctx)
		}
	}
	return nil
}

// unstaged returns when no large commit is being applied.
func (s *Store) unstaged(ctx context.Context) error {
	var waited wait
	for {
		st, err := s.stateFor(ctx, storage.Now)
		if err != nil || st.staged == nil {
			return err
		}
		if err := s.helpOrWait(ctx, *st.staged, &waited); err != nil {
			return err
		}
	}
}
