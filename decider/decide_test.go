package decider_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

func parse(s string) resource.Ref {
	r, err := resource.ParseRef("fake/" + s)
	if err != nil {
		panic(err)
	}
	return r
}

// attrs reads "name value name @place/kind/name".
func attrs(s string) resource.Attrs {
	var out []resource.Attr
	words := strings.Fields(s)
	for i := 0; i+1 < len(words); i += 2 {
		var v resource.Value = resource.String(words[i+1])
		if at, ok := strings.CutPrefix(words[i+1], "@"); ok {
			v = resource.Reference{Ref: parse(at)}
		}
		if words[i] == "disks" {
			v = resource.List{v}
		}
		out = append(out, resource.Attr{Name: words[i], Value: v})
	}
	return resource.NewAttrs(out...)
}

func want(ref, a string) resource.Desired { return resource.Desired{Ref: parse(ref), Attrs: attrs(a)} }

func ours(ref, id, a string) resource.Observed {
	r := parse(ref)
	return resource.Observed{Ref: r, ID: id, Ownership: resource.Proven, Stack: "web", Marks: resource.Marks{Ref: r, Stack: "web"}, Attrs: attrs(a)}
}

func with[T any](v T, f func(*T)) T { f(&v); return v }

func sceneOf(configured []resource.Desired, resources ...resource.Observed) scene {
	s := scene{
		intents:   []resource.Intent{{Stack: "web", Resources: configured}},
		liveState: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}},
	}
	for _, location := range locations {
		scope := resource.Scope{Provider: "fake", Location: location}
		snap := resource.Snapshot{Scope: scope}
		for _, o := range resources {
			if o.Ref.Location == location {
				snap.Resources = append(snap.Resources, o)
			}
		}
		s.liveState.Scopes[scope] = snap
	}
	return s
}

type configured = []resource.Desired

// lines writes decisions as "mark ref reason: detail [policy: veto]".
func lines(p decider.Plan) []string {
	out := []string{}
	for _, d := range p.Decisions {
		s := fmt.Sprintf("%s %s %s: %s", d.Action.Symbol(), strings.TrimPrefix(d.Ref.String(), "fake/"), d.Reason, d.Message)
		for _, v := range d.Blockers {
			s += fmt.Sprintf(" [%s %s: %s]", d.Proposed, v.Policy, v.Reason)
		}
		out = append(out, s)
	}
	return out
}

func check(t *testing.T, p decider.Plan, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, lines(p)); d != "" {
		t.Errorf("decisions (-want +got):\n%s", d)
	}
}

// One row for each rule, in their order.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		s    scene
		want []string
	}{
		{"unreachable", sceneOf(configured{want("a/disk/d", "")}).unreachable("a"), []string{"! a/disk/d unreachable: fake/a is unreachable: page 2 failed"}},
		{
			"another stack's", sceneOf(configured{want("a/disk/d", "")}, with(ours("a/disk/d", "d-1", ""), func(o *resource.Observed) { o.Stack = "shop" })),
			[]string{"! a/disk/d conflict: d-1 exists and is owned by stack shop"},
		},
		{
			"nobody's, wanted", sceneOf(configured{want("a/disk/d", "")}, with(ours("a/disk/d", "d-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged })),
			[]string{"! a/disk/d conflict: d-1 exists and is unmanaged"},
		},
		{
			"twice", sceneOf(configured{want("a/disk/d", "")}, ours("a/disk/d", "d-1", ""), ours("a/disk/d", "d-2", "")),
			[]string{"! a/disk/d conflict: 2 resources are bound to it: d-1, d-2"},
		},
		{
			"nobody's", sceneOf(nil, with(ours("a/disk/d", "d-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged })),
			[]string{"! a/disk/d unmanaged: it is unmanaged"},
		},
		{"unwanted", sceneOf(nil, ours("a/disk/d", "d-1", "")), []string{"- a/disk/d unwanted: not in the configuration"}},
		{"missing", sceneOf(configured{want("a/disk/d", "")}), []string{"+ a/disk/d missing: it does not exist"}},
		{
			"follows", sceneOf(configured{want("a/network/n", "range 2"), want("a/server/s", "network @a/network/n size 9")}, ours("a/network/n", "n-1", "range 1"), ours("a/server/s", "s-1", "network n-1 size 1")),
			[]string{"-/+ a/network/n immutable: range cannot be changed in place", "-/+ a/server/s follows_replaced: network/n is replaced"},
		},
		{
			"immutable before interrupting", sceneOf(configured{want("a/server/s", "network n-2 size 2 label 2")}, ours("a/server/s", "s-1", "network n-1 size 1 label 1")),
			[]string{"-/+ a/server/s immutable: network cannot be changed in place"},
		},
		{
			"interrupting before in place", sceneOf(configured{want("a/server/s", "size 2 label 2")}, ours("a/server/s", "s-1", "size 1 label 1")),
			[]string{"~ a/server/s restarts: changing size restarts it"},
		},
		{"in place", sceneOf(configured{want("a/server/s", "label 2")}, ours("a/server/s", "s-1", "label 1")), []string{"~ a/server/s changed: label differs"}},
		{
			"many in place", sceneOf(configured{want("a/disk/d", "a 1 b 1 c 1 d 1")}, ours("a/disk/d", "d-1", "")),
			[]string{"~ a/disk/d changed: a, b and 2 more differ"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.s.plan(t, decider.Facts{}), c.want...)
		})
	}
}

func TestADifferenceOfNoKnownSortIsAnError(t *testing.T) {
	t.Parallel()
	r := comparator.Result{Differences: []comparator.Difference{{Type: "odd", Ref: parse("a/disk/d")}}}
	if p, err := decider.Decide(r, kinds, decider.Facts{}); err == nil {
		t.Errorf("a plan: %v", p)
	}
}

func TestACircleOfWishesIsAnError(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/server/x", "peer @a/server/y"), want("a/server/y", "peer @a/server/z"), want("a/server/z", "peer @a/server/x")})
	_, err := decider.Decide(s.compare(t), kinds, decider.Facts{})
	var circle *resource.CycleError
	if !errors.As(err, &circle) {
		t.Fatalf("got %v", err)
	}
	if d := cmp.Diff([]resource.Ref{parse("a/server/x"), parse("a/server/y"), parse("a/server/z")}, circle.Cycle); d != "" {
		t.Errorf("the circle (-want +got):\n%s", d)
	}
}

func TestThePlanStandsInTheOrderOfNeed(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{want("a/disk/d", ""), want("a/server/s", "network @a/network/n disks @a/disk/d"), want("a/network/n", "")})
	p := s.plan(t, decider.Facts{})
	check(t, p,
		"+ a/disk/d missing: it does not exist",
		"+ a/network/n missing: it does not exist",
		"+ a/server/s missing: it does not exist")
	steps := decider.Steps(p)
	want := []decider.Step{{Decision: 0, Phase: decider.CreatePhase}, {Decision: 1, Phase: decider.CreatePhase}, {Decision: 2, Phase: decider.CreatePhase, After: []int{0, 1}}}
	if d := cmp.Diff(want, steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

func TestTakingAwayRunsAgainstTheNeeds(t *testing.T) {
	t.Parallel()
	// The network is replaced with the server on it; another server moves off a disk that goes.
	s := sceneOf(
		configured{want("a/network/n", "range 2"), want("a/server/s", "network @a/network/n"), want("a/server/m", "disks @a/disk/new"), want("a/disk/new", "")},
		ours("a/network/n", "n-1", "range 1"), ours("a/server/s", "s-1", "network n-1"),
		ours("a/server/m", "m-1", "disks d-1"), ours("a/disk/old", "d-1", ""),
	)
	p := s.plan(t, decider.Facts{})
	var got []string
	steps := decider.Steps(p)
	for _, x := range steps {
		line := fmt.Sprintf("%s %s", x.Phase, p.Decisions[x.Decision].Ref.Name)
		for _, a := range x.After {
			line += fmt.Sprintf(" after %s %s", steps[a].Phase, p.Decisions[steps[a].Decision].Ref.Name)
		}
		got = append(got, line)
	}
	want := []string{
		"create new", "delete s",
		"delete n after delete s", "create m after create new",
		"delete old after create m", "create n after delete n", "create s after delete s after create n",
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

func TestTwoThingsThatHoldEachOtherCanBothGo(t *testing.T) {
	t.Parallel()
	s := sceneOf(nil, ours("a/server/x", "x-1", "peer y-1"), ours("a/server/y", "y-1", "peer x-1"))
	p := s.plan(t, decider.Facts{})
	if steps := decider.Steps(p); len(steps) != 2 {
		t.Errorf("%d steps: %v", len(steps), steps)
	}
}
