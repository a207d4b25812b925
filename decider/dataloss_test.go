package decider_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// TestLostDataIsThatOfTheLastConfiguration: a resource is deleted by what was applied last, and
// replaced by what is configured now.
func TestLostDataIsThatOfTheLastConfiguration(t *testing.T) {
	t.Parallel()
	ref := parse("a/disk/d")
	snapshot := func(on bool) resource.Attrs {
		return resource.NewAttrs(resource.Attr{Name: "snapshot", Value: resource.Bool(on)})
	}
	loses := func(string, string) (resource.Kind, bool) {
		return resource.Kind{Name: "disk", DataLoss: func(o resource.Observed, last resource.Attrs) string {
			v, set := last.Get("snapshot")
			if !set {
				return o.ID + " by default"
			}
			if v == resource.Value(resource.Bool(true)) {
				return o.ID + " after a snapshot"
			}
			return o.ID + " without a snapshot"
		}}, true
	}
	o := resource.Observed{Ref: ref, ID: "d-1", Ownership: resource.Proven}
	unwanted := comparator.Difference{Type: comparator.Unwanted, Ref: ref, Observed: &o} // style:ok
	replaced := comparator.Difference{
		Type: comparator.Drifted, Ref: ref, Observed: &o, Desired: &resource.Desired{Ref: ref, Attrs: snapshot(false)},
		Changes: []resource.Change{{Path: "size", Effect: resource.Replace}},
	}
	updated := replaced
	updated.Changes = []resource.Change{{Path: "size"}}
	last := func(resource.Ref) resource.Attrs { return snapshot(true) }
	for name, c := range map[string]struct {
		d    comparator.Difference
		last func(resource.Ref) resource.Attrs
		want string
	}{
		"deleted, applied with a snapshot": {unwanted, last, "d-1 after a snapshot"},
		"deleted, nothing applied":         {unwanted, nil, "d-1 by default"},
		"replaced, configured without":     {replaced, last, "d-1 without a snapshot"},
		"updated":                          {updated, last, ""},
	} {
		p, err := decider.Decide(comparator.Result{Differences: []comparator.Difference{c.d}}, loses, decider.Facts{LastConfigured: c.last})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decisions[0].DataLoss; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
