package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

func claim(t *testing.T, s storage.Store, key string) (storage.Guard, storage.LeaseID) {
	t.Helper()
	lease := must[storage.LeaseID](t)(s.Grant(t.Context(), time.Minute))
	rev := must[storage.Revision](t)(s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: []byte("x"), Lease: lease}}}))
	return storage.Guard{Key: key, Created: rev}, lease
}

func TestLaw7_OutcomesAreFenced(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	ctx := t.Context()
	guard, lease := claim(t, store, "claim/a")
	must[ledger.Receipt](t)(l.RecordUnder(ctx, guard, event.Started{Ref: ref("a"), Key: "k", Action: decider.Create, Token: int64(guard.Created)}))
	if err := store.Revoke(ctx, lease); err != nil {
		t.Fatal(err)
	}
	made := res("a", "s")
	_, err := l.RecordUnder(ctx, guard, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &made})
	if !errors.Is(err, ledger.ErrRefused) {
		t.Fatalf("an outcome under a lost claim: %v, want ErrRefused", err)
	}
	if _, err := l.Resource(ctx, ref("a"), storage.Now); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("the refused outcome changed the store: %v", err)
	}
	if got := must[[]ledger.OpenAction](t)(l.OpenActions(ctx)); len(got) != 1 || !got[0].Uncertain {
		t.Errorf("the action must stay open for the next observation: %+v", got)
	}
	var last event.Record
	for r, err := range history.New(l.Reader()).LogRecords(ctx, history.Filter{Ref: ref("a")}) {
		if last = r; err != nil {
			t.Fatal(err)
		}
	}
	if e, ok := last.Event.(event.Finished); !ok || e.Outcome != event.Late || e.Resource != nil {
		t.Errorf("the last record is %+v, want the late end", last.Event)
	}
	if err := l.Broken(); err != nil {
		t.Errorf("a refusal broke the ledger: %v", err)
	}
}

// losing loses the claim between the log and the store.
type losing struct {
	storage.Store
	revoke func()
}

func (s *losing) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if len(tx.Guards) > 1 && s.revoke != nil {
		s.revoke()
		s.revoke = nil
	}
	return s.Store.Commit(ctx, tx)
}

func TestLaw7_OutcomesAreFenced_BetweenLogAndStore(t *testing.T) {
	inner := mem.New()
	store := &losing{Store: inner}
	l := open(t, t.TempDir(), store)
	ctx := t.Context()
	guard, lease := claim(t, inner, "claim/a")
	store.revoke = func() { _ = inner.Revoke(ctx, lease) }
	made := res("a", "s")
	_, err := l.RecordUnder(ctx, guard, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &made})
	if !errors.Is(err, ledger.ErrRefused) {
		t.Fatalf("got %v, want ErrRefused", err)
	}
	if _, err := l.Resource(ctx, ref("a"), storage.Now); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("the refused outcome changed the store: %v", err)
	}
	must[ledger.Receipt](t)(l.Record(ctx, event.Loaded{Stack: "web"}))
	same(t, l, inner)
}

// What was acknowledged under a claim stays acknowledged when the store is lost, or an older one
// is put back in its place: the claims are lost with it, and nothing was recorded since.
func TestALostStoreIsRebuiltWithTheLastResult(t *testing.T) {
	for _, old := range []bool{false, true} {
		live, dir := mem.New(), t.TempDir()
		l := open(t, dir, live)
		ctx := t.Context()
		must[ledger.Receipt](t)(l.Record(ctx, event.Loaded{Stack: "web"}))
		again := mem.New()
		if old {
			must[storage.Revision](t)(replay.Rebuild(ctx, l.Reader(), again))
		}
		guard, _ := claim(t, live, "claim/a")
		must[ledger.Receipt](t)(l.RecordUnder(ctx, guard, event.Started{Ref: ref("a"), Key: "k", Action: decider.Create, Token: int64(guard.Created)}))
		made := res("a", "s")
		must[ledger.Receipt](t)(l.RecordUnder(ctx, guard, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &made}))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, dir, again)
		if got := must[[]ledger.OpenAction](t)(l.OpenActions(ctx)); len(got) != 0 {
			t.Errorf("an older store: %t: the end was forgotten: %+v", old, got)
		}
		want, got := must[string](t)(replaytest.Digest(ctx, live, 0)), must[string](t)(replaytest.Digest(ctx, again, 0))
		if want != got {
			t.Errorf("an older store: %t: it came back otherwise", old)
		}
	}
}
