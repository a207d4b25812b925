package history_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// asked counts what a store is asked for.
type asked struct {
	storage.Store
	n atomic.Int64
}

func (a *asked) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	a.n.Add(1)
	return a.Store.Range(ctx, prefix, at)
}

// TestTheLastPlanBehindManyDriftPlans: who lets a machine ask for drift all day asks why
// no slower for that.
func TestTheLastPlanBehindManyDriftPlans(t *testing.T) {
	store := &asked{Store: mem.New()}
	l := shared(t, t.TempDir(), store, "one")
	plan := func(id string, mode event.Mode) {
		decisions := []event.Decision{{Ref: ref("a"), Action: decider.Update, Proposed: decider.Update, Difference: "drifted", Reason: decider.ReasonChanged}}
		hash := must[string](t)(event.HashDecisions(decisions))
		must[ledger.Receipt](t)(l.RecordPlan(t.Context(), event.Planned{Plan: id, Stacks: []string{"web"}, Mode: mode, Hash: hash, Decisions: decisions}))
	}
	must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(res("a", "s")), ledger.ObservationOptions{Since: -1}))
	plan("p-000", event.ForPlan)
	for i, drifts := range []int{3, 300} {
		for k := range drifts {
			plan(fmt.Sprintf("p-%d-%03d", i+1, k), event.ForDrift)
		}
		store.n.Store(0)
		c, err := history.New(l.Reader()).ResourceHistory(t.Context(), ref("a"), 10)
		if err != nil || c.Last == nil || c.Last.Mode != event.ForPlan || c.Last.Decision == nil {
			t.Errorf("behind %d: the last plan is %+v: %v", drifts, c.Last, err)
		}
		if n := store.n.Load(); n > 150 {
			t.Errorf("behind %d: the store was asked %d times", drifts, n)
		}
	}
}
