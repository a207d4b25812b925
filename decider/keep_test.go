package decider_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// TestDataIsKept: what is no longer configured stays with its data, which is neither an action
// nor a block, unless the plan prunes; and nothing that would lose it is replaced.
func TestDataIsKept(t *testing.T) {
	t.Parallel()
	ref := parse("a/volume/v")
	kinds := func(keeps bool, loss string) decider.Kinds {
		return func(string, string) (resource.Kind, bool) {
			return resource.Kind{Name: "volume", Keeps: keeps, DataLoss: func(resource.Observed, resource.Attrs) string { return loss }}, true
		}
	}
	o := resource.Observed{Ref: ref, ID: "v", Ownership: resource.Proven}
	unwanted := comparator.Difference{Type: comparator.Unwanted, Ref: ref, Observed: &o} // style:ok
	changed := comparator.Difference{
		Type: comparator.Drifted, Ref: ref, Observed: &o, Desired: &resource.Desired{Ref: ref},
		Changes: []resource.Change{{Path: "driver", Effect: resource.Replace}},
	}
	for name, c := range map[string]struct {
		d                comparator.Difference
		kinds            decider.Kinds
		prune            bool
		action, proposed decider.Action
		kept, blocked    int
	}{
		"not configured":                  {unwanted, kinds(true, "volume"), false, decider.Notify, decider.Notify, 1, 0},
		"not configured, pruned":          {unwanted, kinds(true, "volume"), true, decider.Delete, decider.Delete, 0, 0},
		"not configured, without data":    {unwanted, kinds(true, ""), false, decider.Delete, decider.Delete, 0, 0},
		"not configured, of another kind": {unwanted, kinds(false, "database"), false, decider.Delete, decider.Delete, 0, 0},
		"replaced":                        {changed, kinds(true, "volume"), false, decider.Notify, decider.Replace, 0, 1},
		"replaced, pruned":                {changed, kinds(true, "volume"), true, decider.Notify, decider.Replace, 0, 1},
		"replaced, without data":          {changed, kinds(true, ""), false, decider.Replace, decider.Replace, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := decider.Decide(comparator.Result{Differences: []comparator.Difference{c.d}}, c.kinds, decider.Facts{Prune: c.prune})
			if err != nil {
				t.Fatal(err)
			}
			d, n := p.Decisions[0], event.Count(p)
			if d.Action != c.action || d.Proposed != c.proposed || n.Kept != c.kept || n.Blocked != c.blocked {
				t.Errorf("%s (proposed %s), %d kept, %d blocked; want %s (%s), %d, %d", d.Action, d.Proposed, n.Kept, n.Blocked, c.action, c.proposed, c.kept, c.blocked)
			}
			if c.kept > 0 && d.DataLoss != "" {
				t.Errorf("it is kept, and loses %s", d.DataLoss)
			}
		})
	}
}
