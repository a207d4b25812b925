package history_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestAfterActionIsTheResourceThatAnActionLeft: an observation later shows what changed, until the store is compacted,
// which Compacted reports.
func TestAfterActionIsTheResourceThatAnActionLeft(t *testing.T) {
	store := mem.New()
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, r := t.Context(), history.New(l.Reader())
	made := res("a", "small")
	observe := func(o resource.Observed) {
		must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(o), ledger.ObservationOptions{Since: -1}))
	}
	must[ledger.Receipt](t)(l.Record(ctx, event.Started{Ref: made.Ref, Key: "k", Action: decider.Create}))
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{
		Ref: made.Ref, Key: "k", Action: decider.Create, Outcome: event.Done, ID: made.ID, Resource: &made,
	}))
	if was, err := r.AfterAction(ctx, made.Ref); was != nil || err != nil {
		t.Errorf("unchanged since: %+v, %v", was, err)
	}
	changed := made
	changed.Tags = resource.TagsOf(map[string]string{"cost": "9"})
	observe(changed)
	if was, err := r.AfterAction(ctx, made.Ref); err != nil || was == nil || len(was.Tags) != len(made.Tags) {
		t.Errorf("changed since: %+v, %v", was, err)
	}
	next := res("a", "large") // a loop observes it before the last step of a replacement has its end
	next.ID = "i-2"
	must[ledger.Receipt](t)(l.Record(ctx, event.Finished{
		Ref: made.Ref, Key: "k2", Action: decider.Replace, Outcome: event.Done, ID: made.ID,
	}))
	observe(next)
	if was, err := r.AfterAction(ctx, made.Ref); err != nil || was == nil || was.ID != made.ID {
		t.Errorf("in a replacement: %+v, %v", was, err)
	}
	must[ledger.Receipt](t)(l.Record(ctx, event.ReplaceFinished{Ref: made.Ref, ID: next.ID}))
	if was, err := r.AfterAction(ctx, made.Ref); was != nil || err != nil {
		t.Errorf("after a replacement: %+v, %v", was, err)
	}
	if at, err := r.Compacted(ctx, made.Ref); at != 0 || err != nil {
		t.Errorf("compacted at %d, %v", at, err)
	}
	s := must[storage.Stats](t)(store.Stats(ctx))
	if err := store.Compact(ctx, s.Revision); err != nil {
		t.Fatal(err)
	}
	if was, err := r.AfterAction(ctx, made.Ref); was != nil || err != nil {
		t.Errorf("after a compaction: %+v, %v", was, err)
	}
	if at, err := r.Compacted(ctx, made.Ref); at != s.Revision || err != nil {
		t.Errorf("compacted at %d, want %d, %v", at, s.Revision, err)
	}
	if at, err := r.Compacted(ctx, ref("new")); at != 0 || err != nil {
		t.Errorf("a resource without a record: compacted at %d, %v", at, err)
	}
}

// TestSeenSinceActionStartsAtTheLastAction: what was observed before it is not returned, a recovery is no action, and a
// compaction shortens the answer.
func TestSeenSinceActionStartsAtTheLastAction(t *testing.T) {
	store := mem.New()
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, r := t.Context(), history.New(l.Reader())
	made := res("a", "small")
	cost := 0
	observe := func() {
		cost++
		o := made
		o.Tags = resource.TagsOf(map[string]string{"cost": strconv.Itoa(cost)})
		must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(o), ledger.ObservationOptions{Since: -1}))
	}
	want := func(what string, costs ...string) {
		t.Helper()
		seen, err := r.SeenSinceAction(ctx, made.Ref)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range seen {
			v, _ := o.Tags.Get("cost")
			got = append(got, v)
		}
		if diff := cmp.Diff(costs, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	want("nothing is recorded")
	observe()
	observe()
	want("no action", "1", "2")
	must[ledger.Receipt](t)(l.Record(ctx, event.Started{Ref: made.Ref, Key: "k", Action: decider.Update}))
	want("an action has started")
	observe()
	must[ledger.Receipt](t)(l.Record(ctx, event.Recovered{Ref: made.Ref, Key: "k", Finding: event.FoundDone, ID: made.ID}))
	observe()
	want("a recovery is no action", "3", "4")
	s := must[storage.Stats](t)(store.Stats(ctx))
	if err := store.Compact(ctx, s.Revision); err != nil {
		t.Fatal(err)
	}
	want("compacted", "4")
}
