package decider_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// The traps of the engine design (S) and the defects of its predecessor (E) that concern the
// pure core; the others are tested where they live.

// S1, E1: one thing that is wanted and exists plans to nothing, whatever id the provider gave
// it and wherever its block stands; never create and delete of one logical thing.
func TestS1_E1_WhatIsWantedAndThereIsLeftAlone(t *testing.T) {
	t.Parallel()
	x, y := want("a/server/ec2-0", "size 1"), want("a/server/ec2-1", "size 1")
	resources := []resource.Observed{ours("a/server/ec2-0", "i-0abc", "size 1"), ours("a/server/ec2-1", "i-0def", "size 1")}
	for name, w := range map[string]configured{"in order": {x, y}, "blocks swapped": {y, x}} {
		if p := sceneOf(w, resources...).plan(t, decider.Facts{}); len(p.Decisions) > 0 || p.Unchanged != 2 {
			t.Errorf("%s: %v", name, lines(p))
		}
	}
}

// S2: every attribute the wish mentions is compared.
func TestS2_EveryMentionedAttributeIsCompared(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"size 2", "label 2", "network n-2", "peer s-2", "disks d-2", "anything 2"} {
		p := sceneOf(configured{want("a/server/s", a)}, ours("a/server/s", "i-1", "size 1 label 1 network n-1 peer s-1 disks d-1 anything 1")).plan(t, decider.Facts{})
		if len(p.Decisions) != 1 || len(p.Decisions[0].Changes) != 1 {
			t.Errorf("%s: %v", a, lines(p))
		}
	}
}

// S3: a default that is filled in before comparing is no drift once it is fulfilled.
func TestS3_DefaultsAreFilledInBeforeComparing(t *testing.T) {
	t.Parallel()
	k := resource.Kind{Name: "disk", Attrs: []resource.Attribute{{Name: "size", Default: resource.String("9"), Type: resource.TString}}}
	a, problems := resource.Check(k, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d := want("a/disk/d", "")
	d.Attrs = a
	s := sceneOf(configured{d})
	if after := s.do(t, s.plan(t, decider.Facts{})).plan(t, decider.Facts{}); len(after.Decisions) > 0 {
		t.Errorf("the second plan is not empty: %v", lines(after))
	}
}

// S5: the order of a plan is that of need and name; TestLaw4 draws the rest.
func TestS5_TheOrderOfAPlanIsFixed(t *testing.T) {
	t.Parallel()
	var w configured
	for _, n := range []string{"e", "b", "d", "a", "c"} {
		w = append(w, want("a/disk/"+n, ""))
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

// E13, S6: one failed list makes its scope unseen: nothing there is missing or unwanted, and
// other scopes go on.
func TestE13_AFailedScopeConcludesNothing(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/disk/kept", ""), want("b/disk/new", "")}, ours("a/disk/kept", "d-1", ""), ours("a/disk/unlisted", "d-2", ""), ours("b/disk/old", "d-3", "")).unreachable("a")
	p := s.plan(t, decider.Facts{}, decider.Unreachable{})
	check(t, p,
		"! a/disk/kept unreachable: fake/a is unreachable: page 2 failed",
		"+ b/disk/new missing: it does not exist",
		"- b/disk/old unwanted: not in the configuration")
	if p.Decisions[0].Difference != comparator.Unreachable {
		t.Errorf("a difference of the sort %s", p.Decisions[0].Difference)
	}
}
