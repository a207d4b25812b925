package engine_test

import (
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
)

// TestADestroyedStackLeavesNothing: everything of the stack is deleted with that as its reason, and the
// same configuration creates it again.
func TestADestroyedStackLeavesNothing(t *testing.T) {
	b, in := newBench(t), wants(network("a"), network("b"))
	b.apply(in)
	p, err := b.engine.Plan(t.Context(), in, engine.PlanOptions{Destroy: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Plan.Decisions) != len(in[0].Resources) {
		t.Errorf("decisions: %v", brief(p))
	}
	for _, d := range p.Plan.Decisions {
		if d.Action != decider.Delete || d.Reason != decider.ReasonDestroyed {
			t.Errorf("%s: %s, because %s", d.Ref, d.Action, d.Reason)
		}
	}
	if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := b.engine.Plan(t.Context(), in, engine.PlanOptions{Destroy: true})
	if err != nil || !again.Plan.Empty() {
		t.Errorf("afterwards: %v, %v", brief(again), err)
	}
	b.apply(in)
	b.settled(in)
	b.replays()
}
