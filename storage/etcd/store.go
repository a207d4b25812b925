package etcd

import (
	"github.com/ovi-project/ovi/storage"
)

// Store is a store in etcd. It may be used from many goroutines and hosts.
type Store struct{ conn }

var (
	_ storage.Store         = (*Store)(nil)
	_ storage.Watcher       = (*Store)(nil)
	_ storage.BoundedLeaser = (*Store)(nil)
	_ storage.OldestReader  = (*Store)(nil)
)

// ID identifies the store, whatever the names of its endpoints: the cluster's id and the prefix.
func (s *Store) ID() string { return s.id }

// Close ends the connection. It does not end leases.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.client.Close()
}
