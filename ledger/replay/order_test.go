package replay_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestTheLastBatchOfALogComesAfterWhatItRestsOn, in whichever order the logs are named:
// its position is unknown, but not before what its instance had read.
func TestTheLastBatchOfALogComesAfterWhatItRestsOn(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		store, at := mem.New(), dirs(t, 2)
		one, two := shared(t, at[0], store, "one"), shared(t, at[1], store, "two")
		bless := func(l *ledger.Ledger, on bool) {
			must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("a"), On: on, Who: l.User()}))
		}
		bless(one, true)
		bless(two, false)
		bless(one, true) // the last of its log, made when two's had come in
		must[ledger.Receipt](t)(two.Record(t.Context(), event.Loaded{Stack: "web"}))
		must[ledger.Receipt](t)(two.Record(t.Context(), event.Loaded{Stack: "web"}))
		told := ""
		for r, err := range openLogs(t, at[order[0]], at[order[1]]).Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := r.Event.(event.Blessed); ok {
				told += fmt.Sprint(r.User, e.On, " ")
			}
		}
		if told != "onetrue twofalse onetrue " {
			t.Errorf("named in the order %v: %s", order, told)
		}
	}
}

// TestNotesAndClaimsAreNotContent: what is leased and ends by itself is in no log.
func TestNotesAndClaimsAreNotContent(t *testing.T) {
	store, at := mem.New(), t.TempDir()
	l := shared(t, at, store, "one")
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web"}))
	before := must[string](t)(replaytest.Content(t.Context(), store))
	if err := coordinator.NotesOn(store, "told").Leave(t.Context(), "n", []byte("x"), time.Hour); err != nil {
		t.Fatal(err)
	}
	if after := must[string](t)(replaytest.Content(t.Context(), store)); after != before {
		t.Error("a note changed the content")
	}
	c, err := replay.CompareLive(t.Context(), store, mem.New())
	if err != nil || c.PartA.Key == "note/told/n" {
		t.Fatalf("%+v, %v", c, err)
	}
	into := mem.New()
	must[replay.MergeResult](t)(openLogs(t, at).Rebuild(t.Context(), nil, into))
	if c, err := replay.CompareLive(t.Context(), store, into); err != nil || !c.Equal {
		t.Errorf("a store with a note differs from its log: they part at %q, %q: %v", c.PartA.Key, c.PartB.Key, err)
	}
}
