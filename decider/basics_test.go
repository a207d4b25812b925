package decider_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// A configured resource that exists has no decision, whatever its ID and its position in the file.
func TestUnchangedResourcesHaveNoDecision(t *testing.T) {
	t.Parallel()
	x, y := desired("a/server/ec2-0", "size 1"), desired("a/server/ec2-1", "size 1")
	resources := []resource.Observed{ours("a/server/ec2-0", "i-0abc", "size 1"), ours("a/server/ec2-1", "i-0def", "size 1")}
	for name, w := range map[string]configured{"in order": {x, y}, "blocks swapped": {y, x}} {
		if p := sceneOf(w, resources...).plan(t, decider.Facts{}); len(p.Decisions) > 0 || p.Unchanged != 2 {
			t.Errorf("%s: %v", name, lines(p))
		}
	}
}

func TestEveryConfiguredAttributeIsCompared(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"size 2", "label 2", "network n-2", "peer s-2", "disks d-2", "anything 2"} {
		p := sceneOf(configured{desired("a/server/s", a)}, ours("a/server/s", "i-1", "size 1 label 1 network n-1 peer s-1 disks d-1 anything 1")).plan(t, decider.Facts{})
		if len(p.Decisions) != 1 || len(p.Decisions[0].Changes) != 1 {
			t.Errorf("%s: %v", a, lines(p))
		}
	}
}

// A default is filled in before comparing, so that it is no drift once applied.
func TestDefaultsAreFilledInBeforeComparing(t *testing.T) {
	t.Parallel()
	k := resource.Kind{Name: "disk", Attrs: []resource.Attribute{{Name: "size", Default: resource.String("9"), Type: resource.TString}}}
	a, problems := resource.Check(k, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d := desired("a/disk/d", "")
	d.Attrs = a
	s := sceneOf(configured{d})
	if after := s.do(t, s.plan(t, decider.Facts{})).plan(t, decider.Facts{}); len(after.Decisions) > 0 {
		t.Errorf("the second plan is not empty: %v", lines(after))
	}
}

// What was deleted outside ovi is created with that reason; what never existed is not.
func TestWhatWasDeletedOutsideSaysSo(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/disk/d", ""), desired("a/disk/e", "")})
	gone := desired("a/disk/d", "").Ref
	check(t, s.plan(t, decider.Facts{Deleted: map[resource.Ref]string{gone: "disk-1"}}),
		"+ a/disk/d deleted_outside: it was deleted outside ovi", "+ a/disk/e missing: it does not exist")
}

// The order of a plan is by dependency, then by name; TestLaw4 draws other cases.
func TestTheOrderOfAPlanIsFixed(t *testing.T) {
	t.Parallel()
	var w configured
	for _, n := range []string{"e", "b", "d", "a", "c"} {
		w = append(w, desired("a/disk/"+n, ""))
	}
	for range 20 {
		p := sceneOf(w).plan(t, decider.Facts{})
		for i, n := range []string{"a", "b", "c", "d", "e"} {
			if p.Decisions[i].Ref.Name != n {
				t.Fatalf("decision %d is about %s", i, p.Decisions[i].Ref)
			}
		}
	}
}

// Nothing in a scope that failed is missing or unwanted; the other scopes are planned.
func TestAFailedScopeDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/disk/kept", ""), desired("b/disk/new", "")}, ours("a/disk/kept", "d-1", ""), ours("a/disk/unlisted", "d-2", ""), ours("b/disk/old", "d-3", "")).unreachable("a")
	p := s.plan(t, decider.Facts{}, decider.Unreachable{})
	check(t, p,
		"! a/disk/kept unreachable: its location or kind is unreachable: page 2 failed",
		"+ b/disk/new missing: it does not exist",
		"- b/disk/old unwanted: not in the configuration")
	if p.Decisions[0].Difference != comparator.Unreachable {
		t.Errorf("the difference is %s", p.Decisions[0].Difference)
	}
}
