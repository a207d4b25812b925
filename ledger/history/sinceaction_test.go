package history_test

import (
	"testing"

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
