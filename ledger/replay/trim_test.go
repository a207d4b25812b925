package replay_test

import (
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

func TestReplayGivesTheSameStore(t *testing.T) {
	dir := t.TempDir()
	l := lived(t, dir)
	into := mem.New()
	got := must[replay.Result](t)(replay.Replay(t.Context(), dir, into))
	if got.Trimmed() || got.Last == 0 {
		t.Fatalf("replayed %+v", got)
	}
	c := must[replay.Comparison](t)(replay.CompareHistories(t.Context(), l.Store(), into, 0, got.Revision))
	if !c.Equal || c.DigestA != c.DigestB {
		t.Fatalf("they part at %+v and %+v", c.PartA, c.PartB)
	}
	if _, err := into.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "blessed/x", Value: []byte("{}")}}}); err != nil {
		t.Fatal(err)
	}
	c = must[replay.Comparison](t)(replay.CompareHistories(t.Context(), l.Store(), into, 0, storage.Now))
	if c.Equal || c.PartB.Key != "blessed/x" || c.DigestA == c.DigestB {
		t.Fatalf("a store with foreign writes passes for equal: %+v", c)
	}
}

// TestATrimmedLogHasAllPresentFacts: what was said only before the cut survives it.
func TestATrimmedLogHasAllPresentFacts(t *testing.T) {
	dir := t.TempDir()
	l := lived(t, dir)
	before := must[storage.Revision](t)(l.Revision(t.Context()))
	first := must[wal.Seq](t)(l.Trim(t.Context(), 200, nil))
	if first <= 1 || first > 200 {
		t.Fatalf("the log begins at %d", first)
	}
	if h := must[[]history.Moment](t)(history.New(l.Reader()).History(t.Context(), ref("a"))); len(h) != 301 {
		t.Errorf("trimming the log took history from the store: %d moments are left", len(h))
	}
	if again := must[wal.Seq](t)(l.Trim(t.Context(), 200, nil)); again != first {
		t.Errorf("trimming the same again moved the beginning to %d", again)
	}
	if after := must[storage.Revision](t)(l.Revision(t.Context())); after != before+2 { // and the digest of bindings
		t.Errorf("carrying facts forward wrote %d revisions", after-before)
	}
	into := mem.New()
	got := must[replay.Result](t)(replay.Replay(t.Context(), dir, into))
	if !got.Trimmed() || got.First != first {
		t.Fatalf("replayed %+v", got)
	}
	if c := must[replay.Comparison](t)(replay.CompareLive(t.Context(), l.Store(), into)); !c.Equal || c.DigestA != c.DigestB {
		t.Fatalf("they part at %+v and %+v", c.PartA, c.PartB)
	}
	lost, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: mem.New(), User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	defer lost.Close()
	if b := must[[]ledger.Blessing](t)(lost.Blessings(t.Context())); len(b) != 1 || b[0].Reason != "data" {
		t.Errorf("the blessing from before the cut is lost: %+v", b)
	}
}
