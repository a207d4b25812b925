package ledger_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// cosigned are the records of an instance about the logs of others.
func cosigned(t *testing.T, l *ledger.Ledger) []event.Cosigned {
	t.Helper()
	var out []event.Cosigned
	for r, err := range history.New(l.Reader()).LogRecords(t.Context(), history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := r.Event.(event.Cosigned); ok && r.Instance == l.Instance() {
			out = append(out, c)
		}
	}
	return out
}

// TestInstancesCosignEachOthersLogs: what moved is recorded and put into the store, signed; an instance requires what
// others saw of its log; what only cosignatures moved is left alone, so that two that rest stay at rest.
func TestInstancesCosignEachOthersLogs(t *testing.T) {
	store := mem.New()
	dir := t.TempDir()
	one, two := shared(t, dir, store, "ann"), shared(t, t.TempDir(), store, "bob")
	cosign := func(l *ledger.Ledger) {
		t.Helper()
		if err := l.Cosign(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	cosign(two)
	if got := cosigned(t, two); len(got) != 0 {
		t.Fatalf("cosigned before there is a log: %+v", got)
	}
	for _, name := range []string{"a", "b"} {
		must[ledger.Receipt](t)(one.Record(t.Context(), event.Blessed{Ref: ref(name), On: true, Who: "ann"}))
	}
	for range 3 {
		cosign(two)
		cosign(one)
	}
	if got := cosigned(t, two); len(got) != 1 || got[0].Instance != one.Instance() {
		t.Fatalf("cosigned: %+v, want the log of %s once", got, one.Instance())
	}
	if got := cosigned(t, one); len(got) != 0 {
		t.Errorf("a log that only cosignatures moved was cosigned: %+v", got)
	}
	seen := must[[]wal.Option](t)(one.Cosigned(t.Context()))
	if len(seen) != 1 {
		t.Fatalf("%d instances saw the log, want 1", len(seen))
	}
	if _, err := wal.Verify(ledger.LogPath(dir), nil, seen...); err != nil {
		t.Errorf("the log is not what was seen of it: %v", err)
	}
	other := t.TempDir()
	shared(t, other, mem.New(), "eve")
	if _, err := wal.Verify(ledger.LogPath(other), nil, seen...); err == nil || !strings.Contains(err.Error(), "what instance "+two.Instance()+" saw") {
		t.Errorf("another log is taken for it: %v", err)
	}
}

// TestWhatWasSeenOfALogStays: a row that is removed from the store is put back, one that has no signature of its own counts for
// nothing, and a log that went back is named.
func TestWhatWasSeenOfALogStays(t *testing.T) {
	store := mem.New()
	one, two := shared(t, t.TempDir(), store, "ann"), shared(t, t.TempDir(), store, "bob")
	for _, name := range []string{"a", "b", "c"} {
		must[ledger.Receipt](t)(one.Record(t.Context(), event.Blessed{Ref: ref(name), On: true, Who: "ann"}))
	}
	if err := two.Cosign(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	key := rows.CosignedOf(one.Instance(), two.Instance())
	put := func(key string, value []byte) {
		t.Helper()
		must[storage.Revision](t)(store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: value}}}))
	}
	count := func() int { return len(must[[]wal.Option](t)(one.Cosigned(t.Context()))) }
	was := must[map[string]storage.Entry](t)(storage.Gets(t.Context(), store, []string{key}))[key]
	for name, value := range map[string][]byte{
		"removed": nil, "edited": []byte(strings.Replace(string(was.Value), `"seq":3`, `"seq":2`, 1)), "garbage": []byte("{"),
	} {
		put(key, value)
		if n := count(); n != 0 {
			t.Errorf("%s: %d count", name, n)
		}
		if err := two.Cosign(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 1 {
			t.Errorf("%s: it is not put back: %d count", name, n)
		}
	}
	head := must[map[string]storage.Entry](t)(storage.Gets(t.Context(), store, []string{rows.KeyLog + one.Instance()}))[rows.KeyLog+one.Instance()]
	var h rows.Head
	if err := json.Unmarshal(head.Value, &h); err != nil {
		t.Fatal(err)
	}
	if found := must[[]ledger.Contradiction](t)(two.Contradictions(t.Context())); len(found) != 0 {
		t.Errorf("before: %+v", found)
	}
	h.Seq--
	value, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	put(head.Key, value)
	if found := must[[]ledger.Contradiction](t)(two.Contradictions(t.Context())); len(found) != 1 || found[0].Log != one.Instance() {
		t.Errorf("a log that was put back: %+v", found)
	}
}
