package etcd_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/storage/storagetest"
)

// opener gives each test a prefix of its own in a cluster that no other test compacts.
func opener(servers []*etcdtest.Server) storagetest.Open {
	var n atomic.Int64
	var endpoints []string
	for _, s := range servers {
		endpoints = append(endpoints, s.Endpoint)
	}
	return func(t testing.TB) storage.Store {
		t.Helper()
		s, err := etcd.Open(t.Context(), etcd.Config{Endpoints: endpoints, Prefix: fmt.Sprintf("test/%d", n.Add(1))})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, opener(etcdtest.Cluster(t, 1)))
}

func TestMachine(t *testing.T) {
	t.Parallel()
	storagetest.Machine(t, func(testing.TB) storage.Store { return mem.New() }, opener(etcdtest.Cluster(t, 1)))
}

func TestLeasesExpire(t *testing.T) {
	t.Parallel()
	storagetest.Expiry(t, opener(etcdtest.Cluster(t, 1))(t), 2*time.Second, time.Sleep)
}
