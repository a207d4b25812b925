package engine_test

import (
	"testing"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
)

// TestAFailedComparisonIsRecorded: a configuration that cannot be compared leaves a reason.
func TestAFailedComparisonIsRecorded(t *testing.T) {
	b := newBench(t)
	odd := wants(disk("d", 20), disk("d", 30))
	if _, err := b.engine.Plan(t.Context(), odd, engine.PlanOptions{}); err == nil {
		t.Fatal("a duplicate resource was planned")
	}
	var got []event.PhaseFailed
	for r, err := range b.records() {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := r.Event.(event.PhaseFailed); ok {
			got = append(got, e)
		}
	}
	if len(got) != 1 || got[0].Phase != event.PhaseCompare || got[0].Stack != odd[0].Stack || got[0].Error == "" {
		t.Errorf("recorded %+v", got)
	}
}
