package explain_test

import (
	"testing"

	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/resource"
)

// TestOwnWorkIsNotMadeOutside: ovi's own records decide whether a resource is managed. A recovered create is observed
// before it is bound. That is not a change made outside ovi.
func TestOwnWorkIsNotMadeOutside(t *testing.T) {
	was := resource.Observed{ID: "i-1", Health: resource.Healthy, Ownership: resource.Unproven}
	now := was
	now.Ownership = resource.Proven
	if changes := explain.WithoutBinding(explain.Differ(was, now)); len(changes) != 0 {
		t.Errorf("the binding is a change: %+v", changes)
	}
	now.Tags = resource.Tags{{Key: "cost", Value: "9"}}
	if !explain.MadeOutside(explain.WithoutBinding(explain.Differ(was, now)), resource.Kind{}) {
		t.Error("a tag that changed with it is not found")
	}
	marked := was
	marked.Marks.Owner = "other"
	if !explain.MadeOutside(explain.WithoutBinding(explain.Differ(was, marked)), resource.Kind{}) {
		t.Error("a changed mark is not found")
	}
}
