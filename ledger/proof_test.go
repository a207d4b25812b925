package ledger_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// record records events and fails the test if it cannot.
func record(t *testing.T, l *ledger.Ledger, events ...event.Event) ledger.Receipt {
	t.Helper()
	return must[ledger.Receipt](t)(l.Record(t.Context(), events...))
}

// created records the creation of a resource.
func created(t *testing.T, l *ledger.Ledger, name, id string) {
	t.Helper()
	record(t, l, event.Started{Ref: ref(name), Key: "k-" + id, Action: decider.Create})
	record(t, l, event.Finished{Ref: ref(name), Key: "k-" + id, Action: decider.Create, Outcome: event.Done, ID: id, UID: "u-" + id})
}

func deleted(t *testing.T, l *ledger.Ledger, name, id string) {
	t.Helper()
	record(t, l, event.Started{Ref: ref(name), Key: "d-" + id, Action: decider.Delete, Have: id})
	record(t, l, event.Finished{Ref: ref(name), Key: "d-" + id, Action: decider.Delete, Outcome: event.Done, ID: id})
}

func proven(t *testing.T, l *ledger.Ledger, name, id string) resource.Binding {
	t.Helper()
	b, err := l.Proof(t.Context(), ref(name), id)
	if err != nil {
		t.Errorf("%s is not proven to be %s: %v", id, name, err)
	}
	return b
}

func notProven(t *testing.T, l *ledger.Ledger, name, id string) {
	t.Helper()
	if b, err := l.Proof(t.Context(), ref(name), id); !errors.Is(err, ledger.ErrUnproven) {
		t.Errorf("%s is proven to be %s by %+v: %v", id, name, b, err)
	}
}

// row reads a value of the store and edit writes one, as an attacker with access to the store can.
func row(t *testing.T, s storage.Store, key string) []byte {
	t.Helper()
	return must[storage.Entry](t)(storage.Get(t.Context(), s, key, storage.Now)).Value
}

func edit(t *testing.T, s storage.Store, ops ...storage.Op) {
	t.Helper()
	must[storage.Revision](t)(s.Commit(t.Context(), storage.Tx{Ops: ops}))
}

func bindings(t *testing.T, l *ledger.Ledger) map[string]resource.Binding {
	t.Helper()
	out := map[string]resource.Binding{}
	for _, b := range must[[]resource.Binding](t)(l.Bindings(t.Context(), scope)) {
		out[b.ID] = b
	}
	return out
}

func TestABindingStartsAndEnds(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	created(t, l, "a", "i/1") // an id may have slashes
	if b := proven(t, l, "a", "i/1"); b.UID != "u-i/1" || b.Key != "k-i/1" || b.Ref != ref("a") || b.Seq != 2 || b.Instance != l.Instance() {
		t.Errorf("the binding is %+v", b)
	}
	record(t, l, event.Started{Ref: ref("b"), Key: "kb", Action: decider.Create})
	record(t, l, event.Recovered{Ref: ref("b"), Key: "kb", Action: decider.Create, Finding: event.FoundDone, ID: "i2", UID: "u2"})
	proven(t, l, "b", "i2")
	record(t, l, event.Adopted{Ref: ref("c").In("db"), ID: "i3", UID: "u3", Key: "kc", Who: "ann"})
	if b, err := l.Proof(t.Context(), ref("c").In("db"), "i3"); !b.Adopted || b.Ref.Stack != "db" || err != nil {
		t.Errorf("the adopted binding is %+v, %v", b, err)
	}
	notProven(t, l, "c", "i3") // of the stack web
	record(t, l, event.Finished{Ref: ref("a"), Key: "u", Action: decider.Update, Outcome: event.Done, ID: "i9"})
	notProven(t, l, "a", "i9") // an update binds nothing
	deleted(t, l, "a", "i/1")
	notProven(t, l, "a", "i/1")
	record(t, l, event.Disowned{Ref: ref("c").In("db"), ID: "i3", Who: "ann"})
	if _, err := l.Proof(t.Context(), ref("c").In("db"), "i3"); !errors.Is(err, ledger.ErrUnproven) {
		t.Errorf("a forgotten resource is proven: %v", err)
	}
	record(t, l, event.Lost{Ref: ref("b"), ID: "i2", UID: "u2", Now: "v2"})
	notProven(t, l, "b", "i2")
	record(t, l, event.Dismissed{Ref: ref("c"), ID: "i4", Who: "ann"})
	notProven(t, l, "c", "i4")
	got := bindings(t, l)
	if len(got) != 4 || !got["i/1"].Ended || !got["i2"].Ended || !got["i3"].Ended || !got["i4"].Dismissed {
		t.Errorf("bindings are kept when they end, got %+v", got)
	}
	if _, err := l.Binding(t.Context(), ref("a")); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an ended binding was found: %v", err)
	}
	same(t, l, store)
}

func TestASuccessorMakesABindingFormer(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	created(t, l, "a", "i1")
	created(t, l, "a", "i2")
	notProven(t, l, "a", "i1")
	if b := proven(t, l, "a", "i2"); b.Generation != 2 {
		t.Errorf("the successor has generation %d", b.Generation)
	}
	if !bindings(t, l)["i1"].Former {
		t.Error("the first binding is not former")
	}
	if b := must[resource.Binding](t)(l.Binding(t.Context(), ref("a"))); b.ID != "i2" {
		t.Errorf("the live binding is %+v", b)
	}
}

func TestOneIDHasOneRef(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	created(t, l, "a", "i1")
	if _, err := l.Record(t.Context(), event.Adopted{Ref: ref("b"), ID: "i1", Who: "eve"}); !errors.Is(err, ledger.ErrBound) {
		t.Errorf("an id got a second ref: %v", err)
	}
	proven(t, l, "a", "i1")
	record(t, l, event.Disowned{Ref: ref("a"), ID: "i1", Who: "ann"}, event.Adopted{Ref: ref("b"), ID: "i1", Who: "ann"})
	proven(t, l, "b", "i1")
}

func TestAMoveKeepsTheProof(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	record(t, l, event.Adopted{Ref: ref("a"), ID: "i1", UID: "u1", Key: "k1", Who: "ann"}, event.Blessed{Ref: ref("a"), On: true, Who: "ann"})
	record(t, l, event.Moved{Ref: ref("b").In("db"), From: ref("a"), ID: "i1", Who: "ann"})
	notProven(t, l, "a", "i1")
	record(t, l, event.Blessed{Ref: ref("a"), Who: "ann"}, event.Blessed{Ref: ref("b").In("db"), On: true, Who: "ann"})
	if b, err := l.Proof(t.Context(), ref("b").In("db"), "i1"); b.UID != "u1" || b.Key != "k1" || !b.Adopted || err != nil {
		t.Errorf("the moved binding is %+v, %v", b, err)
	}
	if all := must[[]ledger.Blessing](t)(l.Blessings(t.Context())); len(all) != 1 || all[0].Ref != ref("b").In("db") {
		t.Errorf("the protection did not move: %+v", all)
	}
	same(t, l, store)
}

func TestAnEditedRowProvesNothing(t *testing.T) {
	key := rows.BindingOf(ref("a"), "i1")
	for name, change := range map[string]func(*rows.Binding){
		"another origin":     func(b *rows.Binding) { b.Adopted = true },
		"another UID":        func(b *rows.Binding) { b.UID = "v" },
		"another generation": func(b *rows.Binding) { b.Generation = 9 },
		"another record":     func(b *rows.Binding) { b.Seq = 1 },
		"another instance":   func(b *rows.Binding) { b.Instance = "01J0000000000000000000000A" },
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			l := open(t, t.TempDir(), store)
			created(t, l, "a", "i1")
			proven(t, l, "a", "i1")
			var b rows.Binding
			if err := json.Unmarshal(row(t, store, key), &b); err != nil {
				t.Fatal(err)
			}
			change(&b)
			edit(t, store, storage.Op{Key: key, Value: must[[]byte](t)(json.Marshal(b))})
			notProven(t, l, "a", "i1")
			if _, err := l.Checkpoint(t.Context()); !errors.Is(err, ledger.ErrUnproven) {
				t.Errorf("a checkpoint covers the edited row: %v", err)
			}
		})
	}
}

// TestAForgedRowProvesNothing: the rows copy a genuine one, for the id of another resource and for
// another stack.
func TestAForgedRowProvesNothing(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	created(t, l, "a", "i1")
	var b rows.Binding
	if err := json.Unmarshal(row(t, store, rows.BindingOf(ref("a"), "i1")), &b); err != nil {
		t.Fatal(err)
	}
	forged := must[[]byte](t)(json.Marshal(b))
	elsewhere := ref("a").In("db")
	edit(t, store, storage.Op{Key: rows.BindingOf(ref("a"), "victim"), Value: forged}, storage.Op{Key: rows.BindingOf(elsewhere, "i1"), Value: forged})
	notProven(t, l, "a", "victim")
	if _, err := l.Proof(t.Context(), elsewhere, "i1"); !errors.Is(err, ledger.ErrUnproven) {
		t.Errorf("the row is proven for another stack: %v", err)
	}
	proven(t, l, "a", "i1")
}

// TestADisownedCutFromTheStoreStaysEnded: the rows before are put back as they were.
func TestADisownedCutFromTheStoreStaysEnded(t *testing.T) {
	for _, certified := range []bool{false, true} {
		dir, store := t.TempDir(), mem.New()
		l := open(t, dir, store)
		created(t, l, "a", "i1")
		keys := []string{rows.BindingOf(ref("a"), "i1"), rows.BoundOf(ref("a")), rows.IdentityOf(ref("a"), "i1")}
		var before []storage.Op
		for _, key := range keys {
			before = append(before, storage.Op{Key: key, Value: row(t, store, key)})
		}
		if certified {
			must[wal.Anchor](t)(l.Checkpoint(t.Context()))
		}
		record(t, l, event.Disowned{Ref: ref("a"), ID: "i1", Who: "ann"})
		edit(t, store, before...)
		notProven(t, l, "a", "i1")
		_ = l.Close()
		notProven(t, open(t, dir, store), "a", "i1")
	}
}

// TestADigestIsOnlyAHint: a forged digest in the store does not vouch for forged rows.
func TestADigestIsOnlyAHint(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	l := open(t, dir, store)
	created(t, l, "a", "i1")
	must[wal.Anchor](t)(l.Checkpoint(t.Context()))
	hint := rows.KeyCertified + l.Instance()
	genuine := row(t, store, hint)
	_ = l.Close()
	var b rows.Binding
	if err := json.Unmarshal(row(t, store, rows.BindingOf(ref("a"), "i1")), &b); err != nil {
		t.Fatal(err)
	}
	edit(t, store, storage.Op{Key: rows.BindingOf(ref("a"), "victim"), Value: must[[]byte](t)(json.Marshal(b))},
		storage.Op{Key: hint, Value: genuine})
	again := open(t, dir, store)
	notProven(t, again, "a", "victim")
	proven(t, again, "a", "i1")
	edit(t, store, storage.Op{Key: hint, Value: []byte(`{"seq":1,"digest":""}`)})
	third := open(t, dir, store)
	notProven(t, third, "a", "victim")
	proven(t, third, "a", "i1")
}

// TestAnAcceptedCreateIsBound before its result is known.
func TestAnAcceptedCreateIsBound(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	made := res("a", "s")
	record(t, l, event.Started{Ref: ref("a"), Key: "k", Action: decider.Create})
	record(t, l, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Accepted, ID: "i1", UID: "u1", Resource: &made})
	proven(t, l, "a", "i1")
	if o, is, err := l.OpenOn(t.Context(), ref("a")); err != nil || !is || !o.Accepted || o.ID != "i1" {
		t.Errorf("the action is not open: %+v, %v", o, err)
	}
	record(t, l, event.Recovered{Ref: ref("a"), Key: "k", Action: decider.Create, Finding: event.FoundFailed, ID: "i1", Evidence: "unhealthy"})
	if _, is, _ := l.OpenOn(t.Context(), ref("a")); is {
		t.Error("a failed action is still open")
	}
	if all := must[map[resource.Ref]ledger.ResourceTries](t)(l.Attempts(t.Context())); all[ref("a")].Last().Failures != 1 {
		t.Errorf("the failure is not counted: %+v", all)
	}
	proven(t, l, "a", "i1")
	same(t, l, store)
}

func TestAReplacementHasTwoBindings(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	created(t, l, "a", "old")
	step := func(name, id string) {
		t.Helper()
		record(t, l, event.Started{Ref: ref("a"), Key: name, Action: decider.Replace, Step: name, Have: id})
		record(t, l, event.Finished{Ref: ref("a"), Key: name, Action: decider.Replace, Step: name, Outcome: event.Done, ID: id})
	}
	record(t, l, event.ReplaceStarted{Ref: ref("a"), Key: "r", Strategy: "create-first", Old: "old"})
	step("create", "new")
	proven(t, l, "a", "new")
	proven(t, l, "a", "old") // it is to be deleted
	record(t, l, event.ReplaceReverted{Ref: ref("a"), Key: "r", Why: "unhealthy"})
	if open := must[map[resource.Ref]ledger.Replacement](t)(l.Replacements(t.Context(), storage.Now))[ref("a")]; !open.Reverting || open.Strategy != "create-first" {
		t.Errorf("the open replacement is %+v", open)
	}
	step("delete_new", "new")
	notProven(t, l, "a", "new")
	record(t, l, event.ReplaceFinished{Ref: ref("a"), Key: "r", ID: "old", Reverted: true})
	if b := bindings(t, l)["old"]; b.Role != "" || !b.Live() {
		t.Errorf("the old resource is left as %+v", b)
	}
	same(t, l, store)
}

// TestTrimsKeepBindings: live and ended ones, and the proof.
func TestTrimsKeepBindings(t *testing.T) {
	dir := t.TempDir()
	l := lived(t, dir)
	created(t, l, "x", "i1")
	created(t, l, "y", "i2")
	deleted(t, l, "y", "i2")
	for i := range 300 {
		o := res("a", "s")
		o.Message = string(make([]byte, 900)) + string(rune('a'+i%26))
		must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(o), ledger.ObservationOptions{Since: -1}))
	}
	last := l.Log().Frontier().Seq
	first := must[wal.Seq](t)(l.Trim(t.Context(), last-50, nil))
	if first < 320 {
		t.Fatalf("the log begins with record %d, before the bindings", first)
	}
	proven(t, l, "x", "i1")
	_ = l.Close()
	rebuilt := mem.New()
	must[replay.Result](t)(replay.Replay(t.Context(), dir, rebuilt))
	again := open(t, dir, rebuilt)
	proven(t, again, "x", "i1")
	if got := bindings(t, again); !got["i2"].Ended || len(got) != 2 {
		t.Errorf("after the trim and a rebuild the bindings are %+v", got)
	}
}

// TestACheckpointRecordsADigestOnlyOfChanges: an unchanged table has one already.
func TestACheckpointRecordsADigestOnlyOfChanges(t *testing.T) {
	l := open(t, t.TempDir(), mem.New())
	created(t, l, "a", "i1")
	must[wal.Anchor](t)(l.Checkpoint(t.Context()))
	end := l.Log().Frontier().Seq
	record(t, l, event.Loaded{Stack: "web"})
	must[wal.Anchor](t)(l.Checkpoint(t.Context()))
	if now := l.Log().Frontier().Seq; now != end+1 {
		t.Errorf("%d records, want that of the load only", now-end)
	}
	created(t, l, "b", "i2")
	must[wal.Anchor](t)(l.Checkpoint(t.Context()))
	if now := l.Log().Frontier().Seq; now != end+4 {
		t.Errorf("%d records, want the load, the creation and the digest", now-end)
	}
	proven(t, l, "b", "i2")
}

// TestARefusedBatchProvesNothing: its creation is in the log, and the store is edited to have it.
func TestARefusedBatchProvesNothing(t *testing.T) {
	inner := mem.New()
	store := &losing{Store: inner}
	l := open(t, t.TempDir(), store)
	guard, lease := claim(t, inner, "claim/a")
	store.revoke = func() { _ = inner.Revoke(t.Context(), lease) }
	_, err := l.RecordUnder(t.Context(), guard, event.Finished{
		Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, ID: "i1", UID: "u1",
	})
	if !errors.Is(err, ledger.ErrRefused) {
		t.Fatalf("got %v, want ErrRefused", err)
	}
	b := resource.Binding{Ref: ref("a"), ID: "i1", UID: "u1", Key: "k", Generation: 1, Instance: l.Instance()}
	for r, err := range history.New(l.Reader()).LogRecords(t.Context(), history.Filter{Types: []string{event.TypeFinished}}) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Seq == 0 {
			b.Seq, b.At = uint64(r.Seq), r.At
		}
	}
	edit(t, inner, storage.Op{Key: rows.BindingOf(ref("a"), "i1"), Value: must[[]byte](t)(json.Marshal(rows.Binding{Binding: b}))})
	notProven(t, l, "a", "i1")
}

// TestADigestOfOtherRowsIsNotUsed: a binding ended before the digest, and its rows are put back
// together with the row that says where the digest is.
func TestADigestOfOtherRowsIsNotUsed(t *testing.T) {
	dir, store := t.TempDir(), mem.New()
	l := open(t, dir, store)
	created(t, l, "a", "i1")
	var back []storage.Op
	for _, key := range []string{rows.BindingOf(ref("a"), "i1"), rows.BoundOf(ref("a")), rows.IdentityOf(ref("a"), "i1")} {
		back = append(back, storage.Op{Key: key, Value: row(t, store, key)})
	}
	record(t, l, event.Disowned{Ref: ref("a"), ID: "i1", Who: "ann"})
	must[wal.Anchor](t)(l.Checkpoint(t.Context()))
	hint := rows.KeyCertified + l.Instance()
	edit(t, store, append(back, storage.Op{Key: hint, Value: row(t, store, hint)})...)
	_ = l.Close()
	notProven(t, open(t, dir, store), "a", "i1")
}
