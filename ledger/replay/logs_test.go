package replay_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

func TestLogsOfASharedStoreAreComparedWithIt(t *testing.T) {
	store, at := mem.New(), dirs(t, 3)
	logs := shares(t, store, at...)
	all := openLogs(t, at[0], filepath.Join(at[1], "wal"), at[2], at[0])
	inTurns(t, logs, 1) // they are in use
	m, c, err := all.Check(t.Context(), store, mem.New())
	if err != nil || !c.Equal || c.DigestA != c.DigestB || m.Batches == 0 {
		t.Fatalf("%+v, they part at %+v and %+v: %v", m, c.PartA, c.PartB, err)
	}
	_, _, err = openLogs(t, at[0], at[2]).Check(t.Context(), store, mem.New())
	var lacks *replay.IncompleteError
	if !errors.As(err, &lacks) || len(lacks.Missing) != 1 || lacks.Missing[0].ID != logs[1].Instance() || !strings.Contains(err.Error(), logs[1].Instance()) {
		t.Errorf("without the second log: %v", err)
	}
	must[storage.Revision](t)(store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "blessed/x", Value: []byte("{}")}}}))
	if _, c, err = all.Check(t.Context(), store, mem.New()); err != nil || c.Equal || c.PartA.Key != "blessed/x" {
		t.Errorf("a store with foreign writes passes: %+v, %v", c, err)
	}
}

func TestLogsOfAnotherStoreAreRefused(t *testing.T) {
	store, at := mem.New(), dirs(t, 3)
	logs := shares(t, store, at[0], at[1])
	stranger := shared(t, at[2], mem.New(), "eve")
	must[ledger.Receipt](t)(stranger.Record(t.Context(), event.Loaded{Stack: "web"}))
	if _, _, err := openLogs(t, at...).Check(t.Context(), store, mem.New()); !errors.Is(err, ledger.ErrForeignLog) {
		t.Errorf("a log that was never recorded there: %v", err)
	}
	old := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(old, os.DirFS(filepath.Join(at[1], "wal"))); err != nil {
		t.Fatal(err)
	}
	inTurns(t, logs, 1)
	var lacks *replay.IncompleteError
	if _, _, err := openLogs(t, at[0], old).Check(t.Context(), store, mem.New()); !errors.As(err, &lacks) || len(lacks.Short) != 1 {
		t.Errorf("an old copy of a log: %v", err)
	}
	if _, err := replay.OpenLogs([]string{at[1], old}); err == nil {
		t.Error("two states of one log were opened as one")
	}
}

// TestALostSharedStoreIsRebuiltFromItsLogs, twice, and those who recorded into it go on.
func TestALostSharedStoreIsRebuiltFromItsLogs(t *testing.T) {
	var store storage.Store = mem.New()
	at := dirs(t, 3)
	logs := shares(t, store, at...)
	for life := range 3 {
		var known []string
		for _, l := range logs {
			known = append(known, l.Instance())
			_ = l.Close()
		}
		next := mem.New()
		all := openLogs(t, at...)
		if _, err := openLogs(t, at[1:]...).Rebuild(t.Context(), known, mem.New()); err == nil {
			t.Error("rebuilt without the first log")
		}
		must[replay.MergeResult](t)(all.Rebuild(t.Context(), known, next))
		if want, got := must[string](t)(replaytest.Content(t.Context(), store)), must[string](t)(replaytest.Content(t.Context(), next)); want != got {
			_, c, _ := all.Check(t.Context(), store, mem.New())
			t.Fatalf("life %d: the store that came back differs (by the lost one's own order they part at %q, %q)", life, c.PartA.Key, c.PartB.Key)
		}
		if _, err := all.Rebuild(t.Context(), known, next); !errors.Is(err, replay.ErrNotEmpty) {
			t.Errorf("rebuilt into a store that is not empty: %v", err)
		}
		store, logs = next, nil
		for i, dir := range at {
			logs = append(logs, shared(t, dir, store, fmt.Sprint("user", i)))
		}
		inTurns(t, logs, 6)
	}
}

// TestAStoreThatIsBeingRebuiltIsNotOpened: it holds the beginning of each log.
func TestAStoreThatIsBeingRebuiltIsNotOpened(t *testing.T) {
	store, at := mem.New(), dirs(t, 2)
	for _, l := range shares(t, store, at...) {
		_ = l.Close()
	}
	broken := mem.New()
	cut := &cutOff{Store: broken, left: 9}
	if _, err := openLogs(t, at...).Rebuild(t.Context(), nil, cut); !errors.Is(err, errDim) {
		t.Fatalf("rebuilt into a store that went away: %v", err)
	}
	if _, err := ledger.Open(t.Context(), ledger.Config{Dir: at[0], Store: broken, Shared: true, User: "a"}); !errors.Is(err, ledger.ErrUnfinished) {
		t.Errorf("half a store was opened: %v", err)
	}
}

// TestALogOrdersByItself: what a log notes puts batches in order without the store, also where
// one that recorded first came in last.
func TestALogOrdersByItself(t *testing.T) {
	store := mem.New()
	late := &ledgertest.Overtaken{Store: store}
	at := dirs(t, 2)
	one, two := shared(t, at[0], late, "one"), shared(t, at[1], store, "two")
	bless := func(l *ledger.Ledger, on bool) {
		must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("a"), On: on, Who: l.User()}))
	}
	bless(one, true)
	late.First = func() { bless(two, false); bless(two, true) }
	bless(one, false) // appended before those of two, and committed behind them
	must[ledger.Receipt](t)(one.Record(t.Context(), event.Loaded{Stack: "web"}))
	must[ledger.Receipt](t)(two.Record(t.Context(), event.Loaded{Stack: "web"}))
	var told []string
	for r, err := range openLogs(t, at[1], at[0]).Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := r.Event.(event.Blessed); ok {
			told = append(told, fmt.Sprint(r.User, e.On))
		}
	}
	if got := strings.Join(told, " "); got != "onetrue twofalse twotrue onefalse" {
		t.Errorf("in the order %s", got)
	}
}

// TestATrimmedSharedLogIsRefused: its beginning is in the live store only.
func TestATrimmedSharedLogIsRefused(t *testing.T) {
	store, at := mem.New(), t.TempDir()
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: at, Store: store, Shared: true, User: "a", LogOptions: []wal.Option{wal.WithSegmentSize(64 << 10), wal.WithPrefill(0), wal.WithoutCompression()}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 200 {
		o := res("a", fmt.Sprint("size", i))
		o.Message = fmt.Sprintf("%0900d", i)
		must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(o), ledger.ObservationOptions{Since: -1}))
	}
	must[wal.Seq](t)(l.Trim(t.Context(), 150, nil))
	var lacks *replay.IncompleteError
	if _, _, err := openLogs(t, at).Check(t.Context(), store, mem.New()); !errors.As(err, &lacks) || len(lacks.Trimmed) != 1 {
		t.Errorf("a trimmed log: %v", err)
	}
}

// TestTheFirstResourceOfAStackDuringAnObservation: an observation without a resource of a stack, recorded just as
// another instance creates the stack's first resource, leaves what the logs give.
func TestTheFirstResourceOfAStackDuringAnObservation(t *testing.T) {
	store := mem.New()
	late := &ledgertest.Overtaken{Store: store}
	at := dirs(t, 2)
	one, two := shared(t, at[0], late, "one"), shared(t, at[1], store, "two")
	since := must[storage.Revision](t)(one.Revision(t.Context()))
	o := res("new", "m")
	late.First = func() {
		must[ledger.Receipt](t)(two.Record(t.Context(), event.Finished{Ref: ref("new").In("db"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &o}))
	}
	must[ledger.Receipt](t)(one.RecordObservation(t.Context(), liveState(res("old", "s")), ledger.ObservationOptions{Since: since}))
	if _, c, err := openLogs(t, at...).Check(t.Context(), store, mem.New()); err != nil || !c.Equal {
		t.Errorf("they part at %q and %q: %v", c.PartA.Key, c.PartB.Key, err)
	}
}
