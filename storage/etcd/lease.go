package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// Grant makes a lease. etcd counts whole seconds and has a minimum of its own (1.5 times the
// election timeout); a TTL is rounded up.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (storage.LeaseID, error) {
	if ttl <= 0 {
		return 0, fmt.Errorf("etcd: %w: a lease of %v", storage.ErrInvalid, ttl)
	}
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	resp, err := s.client.Grant(ctx, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return 0, s.explain("grant a lease", err)
	}
	return storage.LeaseID(resp.ID), nil
}

// late is how long after a lease's end its keys may still stand: etcd's leader looks for ended
// leases every 500 ms, and takes them away by a commit of the cluster, for which the rest is.
const late = time.Second

// GrantWithin implements storage.Punctual. The seconds asked for are what is left when etcd is
// as late as it can be; the seconds granted, which may be more, are what counts. A change of
// etcd's leader starts the time of all leases over, and is not within the promise.
func (s *Store) GrantWithin(ctx context.Context, within time.Duration) (storage.LeaseID, time.Duration, error) {
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer cancel()
	resp, err := s.client.Grant(ctx, max(1, int64((within-late)/time.Second)))
	if err != nil {
		return 0, 0, s.explain("grant a lease", err)
	}
	lives := time.Duration(resp.TTL) * time.Second
	if lives+late > within {
		_, _ = s.client.Revoke(ctx, resp.ID) // else it ends by itself: nothing hangs on it
		return 0, 0, fmt.Errorf("etcd at %s: %w: nothing can be sure to be free after %s: the shortest lease here is %s, and etcd needs up to %s more to end it; take a TTL of %s or more, or lower etcd's --election-timeout",
			s.where, storage.ErrTooShort, within, lives, late, lives+late)
	}
	return storage.LeaseID(resp.ID), lives, nil
}

// KeepAlive renews a lease once.
func (s *Store) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if _, err := s.client.KeepAliveOnce(ctx, clientv3.LeaseID(id)); err != nil {
		return s.explain("renew a lease", err)
	}
	return nil
}

// Revoke ends a lease.
func (s *Store) Revoke(ctx context.Context, id storage.LeaseID) error {
	ctx, cancel, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	_, err = s.client.Revoke(ctx, clientv3.LeaseID(id))
	if err == nil || errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return nil
	}
	return s.explain("revoke a lease", err)
}
