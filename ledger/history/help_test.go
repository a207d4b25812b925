package history_test

import (
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func ref(name string) resource.Ref { return ledgertest.Ref(name) }

func res(name, size string) resource.Observed { return ledgertest.Resource(name, size) }

func liveState(resources ...resource.Observed) resource.LiveState {
	return ledgertest.LiveState(resources...)
}

func must[T any](t *testing.T) func(T, error) T { return ledgertest.Must[T](t) }

func open(t *testing.T, dir string, store storage.Store) *ledger.Ledger {
	t.Helper()
	return ledgertest.Open(t, dir, store)
}

func fresh(t *testing.T) *ledger.Ledger { return ledgertest.Fresh(t) }

func shared(t *testing.T, dir string, store storage.Store, user string) *ledger.Ledger {
	t.Helper()
	return ledgertest.Shared(t, dir, store, user)
}
