package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// full is a store that takes no writes while it is full.
type full struct {
	storage.Store
	is bool
}

func (f *full) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if f.is {
		return 0, fmt.Errorf("commit: %w", storage.ErrFull)
	}
	return f.Store.Commit(ctx, tx)
}

// TestAFullStoreCanBeRead, even if the log has a record that the store lacks, and it takes records again once it has room.
func TestAFullStoreCanBeRead(t *testing.T) {
	store, dir := &full{Store: mem.New()}, t.TempDir()
	open := func() *ledger.Ledger {
		t.Helper()
		l, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: store, Shared: true})
		if err != nil {
			t.Fatalf("the ledger cannot be opened: %v", err)
		}
		return l
	}
	blessed := func(name string) event.Event { return event.Blessed{Ref: ref(name), On: true, Who: "ann"} }
	l := open()
	record(t, l, blessed("a"))
	store.is = true
	if _, err := l.Record(t.Context(), blessed("b")); !errors.Is(err, storage.ErrFull) {
		t.Errorf("recorded in a full store: %v", err)
	}
	_ = l.Close()
	l = open()
	if all, err := l.BlessingsAt(t.Context(), storage.Now); err != nil || len(all) != 1 {
		t.Errorf("read from a full store: %+v, %v", all, err)
	}
	if l.Broken() == nil {
		t.Error("it takes records")
	}
	_ = l.Close()
	store.is = false
	l = open()
	defer l.Close()
	record(t, l, blessed("c"))
	if all, err := l.BlessingsAt(t.Context(), storage.Now); err != nil || len(all) != 2 || l.Broken() != nil {
		t.Errorf("after there is room: %+v, %v, %v", all, err, l.Broken())
	}
}
