package bolt_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/storage/storagetest"
)

func open(t testing.TB) storage.Store {
	s, err := bolt.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) { storagetest.Run(t, open) }

func TestMachine(t *testing.T) {
	storagetest.Machine(t, func(testing.TB) storage.Store { return mem.New() }, open)
}

func TestLeasesExpire(t *testing.T) {
	now := time.Duration(0)
	s, err := bolt.Open(filepath.Join(t.TempDir(), "store.db"),
		bolt.WithClock(func() (string, time.Duration) { return "boot", now }))
	if err != nil {
		t.Fatal(err)
	}
	storagetest.Expiry(t, s, time.Second, func(d time.Duration) { now += d })
}

func TestWatchesTellOfLeasesThatEnd(t *testing.T) {
	storagetest.WatchExpiry(t, open(t), time.Second)
}
