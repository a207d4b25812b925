package mem_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/storage/storagetest"
)

func open(testing.TB) storage.Store { return mem.New() }

func TestContract(t *testing.T) { storagetest.Run(t, open) }

func TestMachine(t *testing.T) { storagetest.Machine(t, open, open) }

func TestLeasesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { storagetest.Expiry(t, mem.New(), time.Second, time.Sleep) })
}

func TestWatchesTellOfLeasesThatEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { storagetest.WatchExpiry(t, mem.New(), 20*time.Second) })
}
