package ledger_test

import (
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestLargePlansOfTwoInstancesReplayToTheSameStore: a plan with so many decisions that the old
// ones are read in one go rests on them all the same.
func TestLargePlansOfTwoInstancesReplayToTheSameStore(t *testing.T) {
	store := mem.New()
	late := &ledgertest.Overtaken{Store: store}
	at := dirs(t, 2)
	one, two := shared(t, at[0], late, "one"), shared(t, at[1], store, "two")
	plan := func(l *ledger.Ledger, id string, action decider.Action) {
		e := event.Planned{Plan: id, Stacks: []string{"web"}, Mode: event.ForPlan, Hash: id}
		for i := range 40 {
			e.Decisions = append(e.Decisions, event.Decision{Ref: ref(fmt.Sprint("t", i)), Action: action, Proposed: action})
		}
		must[ledger.Receipt](t)(l.Record(t.Context(), e))
	}
	plan(one, "p0", decider.Update)
	late.First = func() { plan(two, "p1", decider.Delete) }
	plan(one, "p2", decider.Update) // as p0 had it, before p1
	replayed := mem.New()
	if _, _, err := openLogs(t, at...).Check(t.Context(), store, replayed); err != nil {
		t.Fatal(err)
	}
	if must[string](t)(replaytest.Content(t.Context(), store)) != must[string](t)(replaytest.Content(t.Context(), replayed)) {
		t.Error("the merged and replayed logs give another store")
	}
}
