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

// Grant creates a lease. etcd counts whole seconds and has a minimum (1.5 times the
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

// late is how long after a lease's end its keys may still exist: etcd's leader searches for
// ended leases every 500 ms, and deletes them by a commit of the cluster, which takes the rest.
const late = time.Second

// GrantWithin implements storage.BoundedLeaser. It requests the seconds that remain when etcd is
// as late as it can be; etcd may grant more, and those count. A change of etcd's leader restarts
// the time of all leases and is not covered by the bound.
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
		_, _ = s.client.Revoke(ctx, resp.ID) // otherwise it expires: no key is tied to it
		return 0, 0, fmt.Errorf("etcd at %s: %w: %s is too short: the shortest lease here lasts %s, and etcd needs up to "+
			"%s more to end it; use a TTL of %s or more, or lower etcd's --election-timeout",
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
