package history_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

func TestActionsSinceARevisionAreThoseOfOtherPlans(t *testing.T) {
	store := mem.New()
	l, other := shared(t, t.TempDir(), store, "ann"), shared(t, t.TempDir(), store, "bob")
	start := event.Started{Plan: "mine", Ref: ref("a"), Key: "k", Action: decider.Update}
	end := event.Finished{Plan: "mine", Ref: ref("a"), Key: "k", Action: decider.Update, Outcome: event.Done}
	must[ledger.Receipt](t)(l.Record(t.Context(), start))
	since := must[ledger.Receipt](t)(l.Record(t.Context(), end)).Revision
	h := history.New(l.Reader())
	if got := must[[]event.Record](t)(h.ActionsSince(t.Context(), ref("a"), since, "mine")); len(got) != 0 {
		t.Errorf("nothing was done since, got %+v", got)
	}
	start.Plan, start.Key, end.Plan, end.Key = "theirs", "k2", "theirs", "k2"
	must[ledger.Receipt](t)(other.Record(t.Context(), start))
	must[ledger.Receipt](t)(other.Record(t.Context(), end, event.Blessed{Ref: ref("a"), On: true, Who: "bob"}))
	must[ledger.Receipt](t)(other.Record(t.Context(), event.Started{Ref: ref("b"), Key: "k3", Action: decider.Create}))
	must[ledger.Receipt](t)(other.Record(t.Context(), event.Recovered{Ref: ref("b"), Key: "k3", Action: decider.Create, Finding: event.FoundDone, ID: "i"}))
	if got := must[[]event.Record](t)(h.ActionsSince(t.Context(), ref("a"), since, "mine")); len(got) != 2 || got[0].User != "bob" || got[0].Event.Type() != event.TypeStarted {
		t.Errorf("actions of others since: %+v", got)
	}
	if got := must[[]event.Record](t)(h.ActionsSince(t.Context(), ref("b"), since, "mine")); len(got) != 2 {
		t.Errorf("a recovery by another run is an action: %+v", got)
	}
	if got := must[[]event.Record](t)(h.ActionsSince(t.Context(), ref("a"), since, "theirs")); len(got) != 0 {
		t.Errorf("a plan's own actions: %+v", got)
	}
}

func TestPastsAreNewestFirstAndLimited(t *testing.T) {
	l := fresh(t)
	var known ledger.Receipt
	for _, key := range []string{"k1", "k2"} {
		must[ledger.Receipt](t)(l.Record(t.Context(), event.Started{Ref: ref("a"), Key: key, Action: decider.Update}))
		known = must[ledger.Receipt](t)(l.Record(t.Context(), event.Finished{Ref: ref("a"), Key: key, Action: decider.Update, Outcome: event.Done}))
	}
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: ref("a"), On: true, Who: "bob"}))
	h := history.New(l.Reader())
	past, failed := h.Pasts(t.Context(), known.Last, 3)
	got := past(ref("a"))
	if len(got) != 3 || got[0].Event != "finished" || got[0].Outcome != "done" || got[1].Event != "started" || failed() != nil {
		t.Errorf("pasts %+v, %v", got, failed())
	}
	for i := range 100 { // behind some it is read which resources have any
		if extra := past(ref(string(rune('b' + i)))); len(extra) != 0 {
			t.Errorf("a resource without a past has %+v", extra)
		}
	}
	if all, _ := h.Pasts(t.Context(), known.Last+1, 9); len(all(ref("a"))) != 5 {
		t.Errorf("all pasts: %+v", all(ref("a")))
	}
}

func TestTimesAndRevisions(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: mem.New(), User: "ann", Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	h := history.New(l.Reader())
	if _, err := h.RevisionAt(t.Context(), now); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a revision of an empty store: %v", err)
	}
	start := now
	for range 10 {
		must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web"}))
		now = now.Add(time.Hour)
	}
	if at := must[time.Time](t)(h.TimeOf(t.Context(), 4)); !at.Equal(start.Add(3 * time.Hour)) {
		t.Errorf("revision 4 is of %s", at)
	}
	if r := must[storage.Revision](t)(h.RevisionAt(t.Context(), start.Add(3*time.Hour+time.Minute))); r != 4 {
		t.Errorf("at that time the revision was %d, want 4", r)
	}
	if _, err := h.RevisionAt(t.Context(), start.Add(-time.Hour)); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a time before the first record: %v", err)
	}
	if err := l.Compact(t.Context(), 6); err != nil {
		t.Fatal(err)
	}
	if _, err := h.TimeOf(t.Context(), 2); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("the time of a compacted revision: %v", err)
	}
}

func TestALogIsReadByItsDirectory(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, mem.New())
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "web"}, event.Blessed{Ref: ref("a"), On: true, Who: "ann"}))
	for _, name := range []string{dir, filepath.Join(dir, "wal")} {
		n := 0
		for r, err := range history.ReadLog(t.Context(), name, history.Filter{Types: []string{event.TypeBlessed}}) {
			if n++; err != nil || r.Seq != 2 {
				t.Errorf("%s: record %d: %v", name, r.Seq, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: read %d records", name, n)
		}
	}
	for _, err := range history.ReadLog(t.Context(), filepath.Join(dir, "none"), history.Filter{}) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a log that does not exist: %v", err)
		}
	}
}

// TestReadingGoesOnWhereItStopped: LogRecordsTo says where.
func TestReadingGoesOnWhereItStopped(t *testing.T) {
	l := fresh(t)
	must[ledger.Receipt](t)(l.Record(t.Context(), event.Loaded{Stack: "a"}, event.Loaded{Stack: "b"}, event.Loaded{Stack: "c"}))
	h := history.New(l.Reader())
	f := history.Filter{Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour)}
	for range h.LogRecordsTo(t.Context(), f, &f.From) {
		break
	}
	var rest []string
	for r, err := range h.LogRecords(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		rest = append(rest, r.Event.(event.Loaded).Stack)
	}
	if len(rest) != 2 || rest[0] != "b" {
		t.Errorf("the rest is %v", rest)
	}
}

func TestABaselineHasResourcesAndApprovals(t *testing.T) {
	o := res("a", "s")
	e := event.Baseline{Facts: []event.Fact{
		{Key: rows.KeyResource + ref("a").String(), Value: o.AppendJSON(nil)},
		{Key: rows.ApprovalOf("d", "ann"), Value: []byte(`{"seq":1,"at":"2026-01-01T00:00:00Z","event":{"plan":"p","hash":"","who":"ann","how":""}}`)},
		{Key: rows.KeyBlessed + "x", Value: []byte(`{}`)},
	}}
	resources, approvals, err := history.BaselineState(e)
	if err != nil || len(resources) != 1 || !resources[ref("a")].Equal(o) || len(approvals) != 1 || approvals[0].Who != "ann" {
		t.Errorf("%+v, %+v, %v", resources, approvals, err)
	}
	e.Facts[0].Value = []byte(`{`)
	if _, _, err := history.BaselineState(e); err == nil {
		t.Error("a broken fact was read")
	}
}

func TestAmbiguousSpellingsNameTheRefs(t *testing.T) {
	l := fresh(t)
	other := res("a", "s")
	other.Ref.Kind, other.ID = "disk", "id-2"
	must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(res("a", "s"), other), ledger.ObservationOptions{Since: -1}))
	_, err := history.New(l.Reader()).FindRef(t.Context(), "a")
	var many *history.AmbiguousError
	if !errors.As(err, &many) || len(many.Refs) != 2 || many.Error() == "" {
		t.Errorf("found %v", err)
	}
	if got := must[resource.Ref](t)(history.New(l.Reader()).FindRef(t.Context(), "id-2")); got != other.Ref {
		t.Errorf("by its id: %s", got)
	}
}
