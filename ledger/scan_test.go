package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
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

// TestE11_QuietScansCostNextToNothing is what an earlier attempt took 115 MB and 52.7 s for.
func TestE11_QuietScansCostNextToNothing(t *testing.T) {
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

func TestABigLookIsSeveralRecordsOfOneBatch(t *testing.T) {
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

func TestCopiedMarksStandApartAndAreNotWrittenAgain(t *testing.T) {
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

func TestAThingMadeJustNowIsLookedForTwice(t *testing.T) {
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
		t.Errorf("after the last look it is gone: %v", err)
	}
}

func TestUnmanagedThingsHaveAnAge(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: mem.New(), Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx := t.Context()
	stray := func(name string) resource.Observed { return resource.Observed{Ref: ref(name), ID: name} }
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(stray("old"), res("ours", "s")), ledger.ObservationOptions{Since: -1}))
	now = now.Add(time.Hour)
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(stray("new"), stray("old"), res("ours", "s")), ledger.ObservationOptions{Since: -1}))
	got := must[[]history.Unmanaged](t)(history.New(l.Reader()).Unmanaged(ctx))
	if len(got) != 2 || got[0].ID != "new" || got[1].ID != "old" {
		t.Fatalf("unmanaged: %+v", got)
	}
	if !got[0].FirstSeen.Equal(now) || got[0].Before {
		t.Errorf("new: %+v, want first seen now", got[0])
	}
	if !got[1].FirstSeen.Equal(now.Add(-time.Hour)) || !got[1].Before {
		t.Errorf("old: %+v, want there since before the first look", got[1])
	}
	if r, err := history.New(l.Reader()).RevisionAt(ctx, now.Add(-time.Minute)); err != nil || r != 1 {
		t.Errorf("revision a minute ago: %d %v, want 1", r, err)
	}
	if _, err := history.New(l.Reader()).RevisionAt(ctx, now.Add(-2*time.Hour)); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a time before all: %v", err)
	}
}

func TestFindRef(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	location := resource.Scope{Provider: "aws", Location: "123/eu-1"}
	far := res("a", "s")
	far.Ref, far.ID = resource.Ref{Provider: "aws", Location: location.Location, Kind: "ec2", Name: "a"}, "i-1"
	w := liveState(res("a", "s"), res("b", "s"))
	w.Scopes[location] = resource.Snapshot{Scope: location, Resources: []resource.Observed{far}}
	must[ledger.Receipt](t)(l.RecordObservation(ctx, w, ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s")), ledger.ObservationOptions{Since: -1})) // b is gone
	for spelling, want := range map[string]resource.Ref{
		"fake/here/box/a": ref("a"), "box/a": ref("a"), "aws/eu-1/ec2/a": far.Ref, "eu-1/ec2/a": far.Ref,
		"ec2/a": far.Ref, "i-1": far.Ref, "aws/123/eu-1/ec2/a": far.Ref, "fake/here/box/b": ref("b"),
	} {
		if got, err := history.New(l.Reader()).FindRef(ctx, spelling); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", spelling, got, err, want)
		}
	}
	var several *history.AmbiguousError
	if _, err := history.New(l.Reader()).FindRef(ctx, "a"); !errors.As(err, &several) || len(several.Refs) != 2 {
		t.Errorf("a: %v, want two", err)
	}
	if _, err := history.New(l.Reader()).FindRef(ctx, "nothing"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
}

func TestTheLogIsFiltered(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s"), res("b", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.Record(ctx, event.Blessed{Ref: ref("a"), On: true}, event.Blessed{Ref: ref("ab"), On: true}))
	count := func(f history.Filter) (n int) {
		for _, err := range history.New(l.Reader()).LogRecords(ctx, f) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	for name, c := range map[string]struct {
		f    history.Filter
		want int
	}{
		"all":       {history.Filter{}, 3},
		"a thing":   {history.Filter{Ref: ref("a")}, 2},
		"a prefix":  {history.Filter{Ref: ref("ab")}, 1},
		"a type":    {history.Filter{Types: []string{event.TypeBlessed}}, 2},
		"from":      {history.Filter{From: 3}, 1},
		"a run":     {history.Filter{Run: l.Run()[:20]}, 3},
		"other run": {history.Filter{Run: "zzz"}, 0},
		"the past":  {history.Filter{Until: time.Now().Add(-time.Hour)}, 0},
		"since":     {history.Filter{Since: time.Now().Add(-time.Hour)}, 3},
		"instance":  {history.Filter{Instance: l.Instance()}, 3},
	} {
		if got := count(c.f); got != c.want {
			t.Errorf("%s: %d records, want %d", name, got, c.want)
		}
	}
}
