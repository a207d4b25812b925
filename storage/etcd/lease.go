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
