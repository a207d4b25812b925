package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

func many(n int) []resource.Observed {
	out := make([]resource.Observed, n)
	for i := range out {
		out[i] = res(fmt.Sprintf("box-%06d", i), "s")
		out[i].Tags = resource.Tags{{Key: "environment", Value: "prod"}, {Key: "project", Value: "web-app"}, {Key: "team", Value: "platform"}}
	}
	return out
}

func size(t *testing.T, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, _ := d.Info()
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

// An observation without changes costs next to nothing in log and store.
func TestUnchangedObservationsCostNextToNothing(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, nil)
	ctx := t.Context()
	all := many(5000)
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(all...), ledger.ObservationOptions{Since: -1}))
	log, store := size(t, filepath.Join(dir, "wal")), size(t, filepath.Join(dir, "store.db"))
	for range 20 {
		must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(all...), ledger.ObservationOptions{Since: -1}))
	}
	grown := size(t, filepath.Join(dir, "wal")) - log + size(t, filepath.Join(dir, "store.db")) - store
	if grown > 100_000 {
		t.Errorf("20 quiet scans of 5,000 things added %d bytes", grown)
	}
	begin := time.Now()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(all[:500]...), ledger.ObservationOptions{Since: -1, Young: time.Minute}))
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("finding 4,500 things gone took %s", took)
	}
	w, _, err := l.LiveState(ctx, storage.Now)
	if err != nil || len(w.Scopes[scope].Resources) != 500 {
		t.Errorf("%d things are left: %v", len(w.Scopes[scope].Resources), err)
	}
	w, _, err = l.LiveState(ctx, 1)
	if err != nil || len(w.Scopes[scope].Resources) != 5000 {
		t.Errorf("%d things were there at first: %v", len(w.Scopes[scope].Resources), err)
	}
}

func TestALargeObservationIsSeveralRecordsOfOneBatch(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	r := must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(many(10_000)...), ledger.ObservationOptions{Since: -1}))
	if r.Revision != 1 || r.Last-r.First != 2 {
		t.Errorf("receipt %+v, want three records at revision 1", r)
	}
	r = must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(many(100)...), ledger.ObservationOptions{Since: -1}))
	if r.Revision != 2 || r.Last-r.First != 2 {
		t.Errorf("receipt %+v, want the 9,900 gone in three records at revision 2", r)
	}
	same(t, l, store)
}

func TestCopiedTagsAreRecordedApartAndOnlyOnce(t *testing.T) {
	store := mem.New()
	l := open(t, t.TempDir(), store)
	ctx := t.Context()
	copied, elsewhere, unmarked := res("a", "s"), res("b", "s"), res("a", "m")
	copied.ID = "z-copy"
	elsewhere.Ref.Location = "there"
	unmarked.Ownership, unmarked.ID = resource.Unmanaged, "0-first"
	obs := liveState(unmarked, res("a", "s"), copied, elsewhere)
	first := must[ledger.Receipt](t)(l.RecordObservation(ctx, obs, ledger.ObservationOptions{Since: -1}))
	got := must[ledger.ResourceState](t)(l.Resource(ctx, ref("a"), storage.Now))
	if got.ID != "id-a" {
		t.Errorf("the name belongs to %s on record, want the marked one with the smallest id", got.ID)
	}
	second := must[ledger.Receipt](t)(l.RecordObservation(ctx, obs, ledger.ObservationOptions{Since: -1}))
	for r, err := range history.New(l.Reader()).LogRecords(ctx, history.Filter{From: second.First}) {
		if e, ok := r.Event.(event.Observed); err != nil || !ok || len(e.Changed)+len(e.Displaced)+len(e.Gone) > 0 {
			t.Errorf("a quiet look recorded %+v: %v", r.Event, err)
		}
	}
	w, _, err := l.LiveState(ctx, first.Revision)
	if err != nil || len(w.Scopes[scope].Resources) != 3 {
		t.Errorf("the world on record has %d things here: %v", len(w.Scopes[scope].Resources), err)
	}
	same(t, l, store)
}

func TestAResourceCreatedJustNowIsObservedAgain(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	made := res("a", "s")
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("b", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref("a"), Key: "k", Action: decider.Create, Outcome: event.Done, Resource: &made}))
	_, err := l.RecordObservation(ctx, liveState(), ledger.ObservationOptions{Since: -1, Young: time.Minute})
	var young *ledger.YoungError
	if !errors.As(err, &young) {
		t.Fatalf("got %v, want a YoungError", err)
	}
	if diff := cmp.Diff([]resource.Ref{ref("a")}, young.Refs); diff != "" {
		t.Errorf("young (-want +got):\n%s", diff)
	}
	if _, err := l.Resource(ctx, ref("b"), storage.Now); err != nil {
		t.Errorf("a refused look was recorded: %v", err)
	}
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(), ledger.ObservationOptions{Since: -1}))
	if _, err := l.Resource(ctx, ref("a"), storage.Now); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("after the last observation it is gone: %v", err)
	}
}

// TestFactsOfAScopeAreOfItsKinds: an observation of one kind says nothing of the others. Neither their number, nor
// their age, nor an error of theirs changes with it.
func TestFactsOfAScopeAreOfItsKinds(t *testing.T) {
	l := fresh(t)
	observe := func(at time.Time, kinds []string, unreachable map[string]error, resources ...resource.Observed) ledger.Scan {
		t.Helper()
		w := liveState(resources...)
		s := w.Scopes[scope]
		s.Scope, s.At, s.Complete, s.Unreachable = scope, at, kinds, unreachable
		w.Scopes = map[resource.Scope]resource.Snapshot{scope: s}
		must[ledger.Receipt](t)(l.RecordObservation(t.Context(), w, ledger.ObservationOptions{Since: -1}))
		return must[[]ledger.Scan](t)(l.Scans(t.Context(), storage.Now))[0]
	}
	disk := func(name string) resource.Observed {
		o := res(name, "s")
		o.Ref.Kind = "disk"
		return o
	}
	boxes := []resource.Observed{res("a", "s"), res("b", "s")}
	disks := []resource.Observed{disk("c"), disk("d"), disk("e")}
	first := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	all := observe(first, []string{"box", "disk"}, nil, append(slices.Clone(boxes), disks...)...)
	if all.Count() != 5 || !all.Oldest().Equal(first) {
		t.Fatalf("%d resources since %s: %+v", all.Count(), all.Oldest(), all)
	}
	denied := map[string]error{"disk": errors.New("denied")}
	if s := observe(first.Add(time.Hour), []string{"box"}, denied, boxes...); s.Count() != 5 || s.Readable() {
		t.Errorf("of disks that cannot be read, %d resources, readable: %t", s.Count(), s.Readable())
	}
	narrow := observe(first.Add(2*time.Hour), []string{"box"}, nil, boxes[0])
	if narrow.Count() != 4 || !narrow.Oldest().Equal(first) || narrow.Readable() {
		t.Errorf("after an observation of boxes, %d resources since %s, readable: %t", narrow.Count(), narrow.Oldest(),
			narrow.Readable())
	}
	if s := observe(first.Add(3*time.Hour), nil, denied, boxes...); s.Count() != 5 || !s.Oldest().Equal(first) {
		t.Errorf("of all but the disks, %d resources since %s", s.Count(), s.Oldest())
	}
	end := observe(first.Add(4*time.Hour), nil, nil, boxes...)
	if end.Count() != 2 || !end.Oldest().Equal(end.At) || !end.Readable() {
		t.Errorf("at the end, %d resources since %s, readable: %t", end.Count(), end.Oldest(), end.Readable())
	}
}
