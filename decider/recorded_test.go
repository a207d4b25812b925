package decider_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

// leaving are resources that are no longer configured.
func leaving(names ...string) (out comparator.Result) {
	slices.Sort(names)
	for _, name := range names {
		ref := parse("a/disk/" + name)
		o := &resource.Observed{Ref: ref, ID: "d-" + name, Ownership: resource.Proven}
		out.Differences = append(out.Differences, comparator.Difference{Type: comparator.Unwanted, Ref: ref, Observed: o}) // style:ok
	}
	return out
}

// TestWhatIsNoLongerConfiguredIsDeletedInOrder: by what it depended on when it was applied last, as far as
// that is deleted too.
func TestWhatIsNoLongerConfiguredIsDeletedInOrder(t *testing.T) {
	t.Parallel()
	last := map[resource.Ref][]resource.Ref{parse("a/disk/a"): {parse("a/disk/b"), parse("a/disk/gone")}}
	p, err := decider.Decide(leaving("a", "b"), kinds, decider.Facts{LastDependsOn: func(r resource.Ref) []resource.Ref { return last[r] }})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Decisions {
		want := map[string][]resource.Ref{"a": {parse("a/disk/b")}}[d.Ref.Name]
		if !slices.Equal(d.DependsOn, want) {
			t.Errorf("%s depends on %v, want %v", d.Ref.Name, d.DependsOn, want)
		}
	}
}

// TestWhatLetsGoIsUpdatedBeforeTheDelete: a is updated and no longer depends on b, which is deleted.
func TestWhatLetsGoIsUpdatedBeforeTheDelete(t *testing.T) {
	t.Parallel()
	found := leaving("a", "b")
	a := &found.Differences[0]
	a.Type, a.Desired = comparator.Drifted, &resource.Desired{Ref: a.Ref}
	a.Changes = []resource.Change{{Path: "size", From: resource.Int(2), To: resource.Int(1)}}
	last := map[resource.Ref][]resource.Ref{a.Ref: {parse("a/disk/b")}}
	p, err := decider.Decide(found, kinds, decider.Facts{LastDependsOn: func(r resource.Ref) []resource.Ref { return last[r] }})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, s := range decider.Steps(p) {
		d := p.Decisions[s.Decision]
		order = append(order, string(d.Action)+" "+d.Ref.Name)
		if d.Ref.Name == "b" && len(s.After) != 1 {
			t.Errorf("the delete waits for %v", s.After)
		}
	}
	if want := []string{"update a", "delete b"}; !slices.Equal(order, want) {
		t.Errorf("the steps are %v, want %v", order, want)
	}
}

// TestConfigurationsOfDifferentTimesMakeNoCycle: whatever they depended on, there is an order.
func TestConfigurationsOfDifferentTimesMakeNoCycle(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "e"}
		last := map[resource.Ref][]resource.Ref{}
		for _, name := range names {
			for _, on := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "of "+name) {
				last[parse("a/disk/"+name)] = append(last[parse("a/disk/"+name)], parse("a/disk/"+on))
			}
		}
		p, err := decider.Decide(leaving(names...), kinds, decider.Facts{LastDependsOn: func(r resource.Ref) []resource.Ref { return last[r] }})
		if err != nil {
			t.Fatalf("%v: %v", last, err)
		}
		for _, d := range p.Decisions {
			if d.Action != decider.Delete {
				t.Errorf("%s: %s", d.Ref, d.Action)
			}
		}
	})
}
