package replay_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func ref(name string) resource.Ref { return ledgertest.Ref(name) }

func res(name, size string) resource.Observed { return ledgertest.Resource(name, size) }

func liveState(resources ...resource.Observed) resource.LiveState {
	return ledgertest.LiveState(resources...)
}

func must[T any](t *testing.T) func(T, error) T { return ledgertest.Must[T](t) }

func shared(t *testing.T, dir string, store storage.Store, user string) *ledger.Ledger {
	t.Helper()
	return ledgertest.Shared(t, dir, store, user)
}

func live(ctx context.Context, l *ledger.Ledger, rounds int, seed uint64) error {
	return ledgertest.Live(ctx, l, rounds, seed)
}

func lived(t *testing.T, dir string) *ledger.Ledger { return ledgertest.Lived(t, dir) }

func dirs(t *testing.T, n int) []string { return ledgertest.Dirs(t, n) }

// shares are instances that lived together on one store, each with something of its own last.
func shares(t *testing.T, store storage.Store, dirs ...string) (logs []*ledger.Ledger) {
	t.Helper()
	for i, dir := range dirs {
		logs = append(logs, shared(t, dir, store, fmt.Sprint("user", i)))
	}
	inTurns(t, logs, 12)
	return logs
}

// inTurns lets instances record in turns, what rests on what the other recorded before.
func inTurns(t *testing.T, logs []*ledger.Ledger, rounds int) {
	t.Helper()
	for i := range rounds {
		for k, l := range logs {
			if err := live(t.Context(), l, 2, uint64(i*7+k)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func openLogs(t *testing.T, dirs ...string) *replay.Logs {
	t.Helper()
	g := must[*replay.Logs](t)(replay.OpenLogs(dirs))
	t.Cleanup(func() { _ = g.Close() })
	return g
}

var errDim = errors.New("the store is away")

// cutOff takes so many commits, and then none any more.
type cutOff struct {
	storage.Store
	left int
}

func (c *cutOff) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if c.left--; c.left < 0 {
		return 0, errDim
	}
	return c.Store.Commit(ctx, tx)
}
