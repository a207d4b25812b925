package ledger_test

import (
	"errors"
	"sync"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// TestABrokenLedgerIsReopenedInPlace: once the disk or the store works again, the same Ledger records. A record that
// reached the log counts, unless other instances share the store and may have decided without it.
func TestABrokenLedgerIsReopenedInPlace(t *testing.T) {
	blessed := func(name string) event.Event { return event.Blessed{Ref: ref(name), On: true, Who: "ann"} }
	for name, x := range map[string]struct {
		shared bool
		breaks func(*full, *vfs.Mem) (repaired func())
		cause  error
		want   int // blessings at the end
	}{
		"store full": {cause: storage.ErrFull, want: 3, breaks: func(s *full, _ *vfs.Mem) func() {
			s.is = true
			return func() { s.is = false }
		}},
		"shared store full": {shared: true, cause: storage.ErrFull, want: 2, breaks: func(s *full, _ *vfs.Mem) func() {
			s.is = true
			return func() { s.is = false }
		}},
		"disk": {cause: syscall.EIO, want: 3, breaks: func(_ *full, disk *vfs.Mem) func() {
			disk.OnOp(func(op vfs.Op) error {
				if op.Kind == "sync" {
					return syscall.EIO
				}
				return nil
			})
			return func() { disk.OnOp(nil) }
		}},
		"disk full": {cause: syscall.ENOSPC, want: 2, breaks: func(_ *full, disk *vfs.Mem) func() {
			disk.OnOp(func(op vfs.Op) error {
				if op.Kind == "write" {
					return syscall.ENOSPC
				}
				return nil
			})
			return func() { disk.OnOp(nil) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			store, disk, dir := &full{Store: mem.New()}, vfs.NewMem(1), t.TempDir()
			cfg := ledger.Config{Dir: dir, Store: store, Shared: x.shared, LogOptions: []wal.Option{wal.WithFS(disk)}}
			l, err := ledger.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			record(t, l, blessed("a"))
			repaired := x.breaks(store, disk)
			if _, err := l.Record(t.Context(), blessed("b")); !errors.Is(err, x.cause) || l.Broken() == nil {
				t.Fatalf("recorded: %v, %v", err, l.Broken())
			}
			if err := l.Reopen(t.Context()); err == nil || l.Broken() == nil {
				t.Errorf("reopened although the cause lasts: %v, %v", err, l.Broken())
			}
			repaired()
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if err := l.Reopen(t.Context()); err != nil || l.Broken() != nil {
						t.Errorf("reopen: %v, %v", err, l.Broken())
					}
				})
			}
			all.Wait()
			record(t, l, blessed("c"))
			if got, err := l.BlessingsAt(t.Context(), storage.Now); err != nil || len(got) != x.want {
				t.Errorf("blessings: %+v, %v", got, err)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			cfg.Store = mem.New() // it replays to the same
			if x.shared {
				return
			}
			again, err := ledger.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if got, err := again.BlessingsAt(t.Context(), storage.Now); err != nil || len(got) != x.want {
				t.Errorf("replayed: %+v, %v", got, err)
			}
		})
	}
}
