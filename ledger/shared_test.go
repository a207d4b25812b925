package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
	"github.com/ovi-project/ovi/storage/mem"
)

// moody is a store that loses answers: of commits that happened, and of some that did not.
type moody struct {
	storage.Store
	every int64
	n     atomic.Int64
}

func (m *moody) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	n := m.n.Add(1)
	if n%m.every == 0 {
		return 0, fmt.Errorf("the request was lost: %w", storage.ErrUnknown)
	}
	rev, err := m.Store.Commit(ctx, tx)
	if err == nil && n%m.every == m.every/2 {
		return 0, fmt.Errorf("the answer was lost: %w", storage.ErrUnknown)
	}
	return rev, err
}

// together lets instances record at once and then replays their logs, merged.
func together(t *testing.T, rounds int, stores ...storage.Store) []*ledger.Ledger {
	t.Helper()
	var logs []*ledger.Ledger
	at := dirs(t, len(stores))
	for i, s := range stores {
		logs = append(logs, shared(t, at[i], s, fmt.Sprintf("user%d", i)))
	}
	var wait sync.WaitGroup
	seed := drawn.Seed(t)
	for i, l := range logs {
		wait.Go(func() {
			if err := live(t.Context(), l, rounds, seed+uint64(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	replayed := mem.New()
	if _, _, err := openLogs(t, at...).Check(t.Context(), stores[0], replayed); err != nil {
		t.Fatal(err)
	}
	want := must[string](t)(replaytest.Content(t.Context(), stores[0]))
	if got := must[string](t)(replaytest.Content(t.Context(), replayed)); got != want {
		t.Error("the merged and replayed logs give another store")
	}
	return logs
}

func TestInterleavedInstancesReplayToTheSameStore(t *testing.T) {
	store := mem.New()
	together(t, 60, store, store, store)
}

func TestInstancesWhoseAnswersAreLost(t *testing.T) {
	store := mem.New()
	together(t, 40, &moody{Store: store, every: 7}, &moody{Store: store, every: 11})
}

func TestInstancesOnOneEtcd(t *testing.T) {
	server := etcdtest.Shared(t)
	connect := func() storage.Store {
		s := must[*etcd.Store](t)(etcd.Open(t.Context(), etcd.Config{Endpoints: []string{server.Endpoint}, Prefix: server.Room + "two"}))
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	logs := together(t, 12, connect(), connect())
	must[ledger.Receipt](t)(logs[0].Record(t.Context(), event.Blessed{Ref: ref("t0"), On: true, Who: "user0"}))
	moments := must[[]history.Moment](t)(history.New(logs[1].Reader()).History(t.Context(), ref("t0")))
	if last := moments[len(moments)-1]; len(last.Records) != 1 || last.Records[0].User != "user0" {
		t.Errorf("the other instance does not tell of the blessing: %+v", last)
	}
}

// TestAnObservationThatLostTheRaceIsComparedAgain: a deed of another instance between the comparison
// of an observation and its commit stays.
func TestAnObservationThatLostTheRaceIsComparedAgain(t *testing.T) {
	store := &ledgertest.Overtaken{Store: mem.New()}
	a, b := shared(t, t.TempDir(), store, "a"), shared(t, t.TempDir(), store.Store, "b")
	since := must[storage.Revision](t)(a.Revision(t.Context()))
	o := res("new", "m")
	store.First = func() {
		must[ledger.Receipt](t)(b.Record(t.Context(), event.Finished{Ref: ref("new"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &o}))
	}
	must[ledger.Receipt](t)(a.RecordObservation(t.Context(), liveState(res("new", "s"), res("old", "s")), ledger.ObservationOptions{Since: since}))
	got := must[ledger.ResourceState](t)(a.Resource(t.Context(), ref("new"), storage.Now))
	if size, _ := got.Attrs.Get("size"); size != resource.String("m") {
		t.Errorf("the older look overwrote the newer deed: %v", got.Attrs)
	}
}

// TestAnUnacknowledgedBatchDoesNotComeLate: what stood in the log of a dead instance and not
// in the store does not overwrite what others recorded since.
func TestAnUnacknowledgedBatchDoesNotComeLate(t *testing.T) {
	store := mem.New()
	dying := &failing{Store: store}
	dir := t.TempDir()
	a, b := shared(t, dir, dying, "a"), shared(t, t.TempDir(), store, "b")
	must[ledger.Receipt](t)(a.Record(t.Context(), event.Loaded{Stack: "web"}))
	dying.err = errors.New("the host lost its power")
	if _, err := a.Record(t.Context(), event.Blessed{Ref: ref("x"), On: false, Who: "a"}); err == nil {
		t.Fatal("recorded without a store")
	}
	_ = a.Close()
	must[ledger.Receipt](t)(b.Record(t.Context(), event.Blessed{Ref: ref("x"), On: true, Who: "b"}))
	again := shared(t, dir, store, "a")
	if all := must[[]ledger.Blessing](t)(again.Blessings(t.Context())); len(all) != 1 {
		t.Errorf("the blessing of b is gone: %v", all)
	}
}

func TestALogOfAnotherStoreIsRefused(t *testing.T) {
	dir, other := t.TempDir(), mem.New()
	l := open(t, dir, mem.New())
	for range 3 {
		must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web"}))
	}
	_ = l.Close()
	b := shared(t, t.TempDir(), other, "b")
	must[ledger.Receipt](t)(b.Record(t.Context(), event.Loaded{Stack: "web"}))
	_, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: other, Shared: true, User: "a", Wait: time.Minute})
	if !errors.Is(err, ledger.ErrElsewhere) {
		t.Errorf("error %v, want ErrElsewhere", err)
	}
}
