package ledger_test

import (
	"context"
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// scope is that of all resources.
var scope = ledgertest.Scope()

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

func live(ctx context.Context, l *ledger.Ledger, rounds int, seed uint64) error {
	return ledgertest.Live(ctx, l, rounds, seed)
}

func lived(t *testing.T, dir string) *ledger.Ledger { return ledgertest.Lived(t, dir) }

func dirs(t *testing.T, n int) []string { return ledgertest.Dirs(t, n) }

func unreachable(err error) resource.LiveState { return ledgertest.Unreachable(err) }

func openLogs(t *testing.T, dirs ...string) *replay.Logs {
	t.Helper()
	g := must[*replay.Logs](t)(replay.OpenLogs(dirs))
	t.Cleanup(func() { _ = g.Close() })
	return g
}
