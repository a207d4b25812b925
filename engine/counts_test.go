package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
)

// TestExcludedIsNotBlocked: the plan, its record and the apply count in the same way what --target
// excludes.
func TestExcludedIsNotBlocked(t *testing.T) {
	b := newBench(t)
	p, err := b.engine.Plan(t.Context(), wants(disk("a", 20), disk("b", 20), disk("c", 20)),
		engine.PlanOptions{Mode: event.ForApply, Targets: []string{"disk/a"}})
	if err != nil {
		t.Fatal(err)
	}
	want := event.Counts{Create: 1, Notify: 2, Excluded: 2}
	if diff := cmp.Diff(want, p.Counts); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	var recorded []event.Counts
	for r, err := range history.New(b.ledger.Reader()).LogRecords(t.Context(), history.Filter{Types: []string{event.TypePlanned}}) {
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, r.Event.(event.Planned).Counts)
	}
	if diff := cmp.Diff([]event.Counts{want}, recorded); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(event.Counts{Create: 1, Excluded: 2}, r.Counts); diff != "" {
		t.Errorf("apply (-want +got):\n%s", diff)
	}
}
