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

// parse reads "location/kind/name" as a ref of the stack web.
func parse(s string) resource.Ref {
	r, err := resource.ParseRef("web:fake/" + s)
	if err != nil {
		panic(err)
	}
	return r
}

// attrs reads "name value name @location/kind/name".
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

func desired(ref, a string) resource.Desired {
	return resource.Desired{Ref: parse(ref), Attrs: attrs(a)}
}

func ours(ref, id, a string) resource.Observed {
	r := parse(ref)
	return resource.Observed{Ref: r, ID: id, Ownership: resource.Proven, Marks: resource.Marks{Ref: r}, Attrs: attrs(a)}
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

// lines writes decisions as "sign ref reason: message [action policy: reason]".
func lines(p decider.Plan) []string {
	out := []string{}
	for _, d := range p.Decisions {
		s := fmt.Sprintf("%s %s %s: %s", d.Action.Symbol(), strings.TrimPrefix(d.Ref.Bare().String(), "fake/"), d.Reason, d.Message)
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

// One row for each rule, in the order of the table.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		s    scene
		want []string
	}{
		{"unreachable", sceneOf(configured{desired("a/disk/d", "")}).unreachable("a"), []string{"! a/disk/d unreachable: its location or kind is unreachable: page 2 failed"}},
		{
			"another stack's", sceneOf(configured{desired("a/disk/d", "")}, with(ours("a/disk/d", "d", ""), func(o *resource.Observed) { o.Ref.Stack = "shop" })),
			[]string{"! a/disk/d conflict: d exists and is owned by stack shop"},
		},
		{
			"unmanaged, configured", sceneOf(configured{desired("a/disk/d", "")}, with(ours("a/disk/d", "d-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged })),
			[]string{"! a/disk/d conflict: d-1 exists and is unmanaged"},
		},
		{
			"bound twice", sceneOf(configured{desired("a/disk/d", "")}, ours("a/disk/d", "d-1", ""), ours("a/disk/d", "d-2", "")),
			[]string{"! a/disk/d conflict: 2 resources are bound to it: d-1, d-2"},
		},
		{
			"unmanaged", sceneOf(nil, with(ours("a/disk/d", "d-1", ""), func(o *resource.Observed) { o.Ownership = resource.Unmanaged })),
			[]string{"! a/disk/d unmanaged: it is unmanaged"},
		},
		{"unwanted", sceneOf(nil, ours("a/disk/d", "d-1", "")), []string{"- a/disk/d unwanted: not in the configuration"}},
		{"missing", sceneOf(configured{desired("a/disk/d", "")}), []string{"+ a/disk/d missing: it does not exist"}},
		{
			"follows", sceneOf(configured{desired("a/network/n", "range 2"), desired("a/server/s", "network @a/network/n size 9")}, ours("a/network/n", "n-1", "range 1"), ours("a/server/s", "s-1", "network n-1 size 1")),
			[]string{"-/+ a/network/n immutable: range cannot be changed in place", "-/+ a/server/s follows_replaced: network/n is replaced"},
		},
		{
			"immutable before restart", sceneOf(configured{desired("a/server/s", "network n-2 size 2 label 2")}, ours("a/server/s", "s-1", "network n-1 size 1 label 1")),
			[]string{"-/+ a/server/s immutable: network cannot be changed in place"},
		},
		{
			"restart before in place", sceneOf(configured{desired("a/server/s", "size 2 label 2")}, ours("a/server/s", "s-1", "size 1 label 1")),
			[]string{"~ a/server/s restarts: changing size restarts it"},
		},
		{"in place", sceneOf(configured{desired("a/server/s", "label 2")}, ours("a/server/s", "s-1", "label 1")), []string{"~ a/server/s changed: label differs"}},
		{
			"many in place", sceneOf(configured{desired("a/disk/d", "a 1 b 1 c 1 d 1")}, ours("a/disk/d", "d-1", "")),
			[]string{"~ a/disk/d changed: a, b and 2 more differ"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.s.plan(t, decider.Facts{}), c.want...)
		})
	}
}

func TestADifferenceOfAnUnknownTypeIsAnError(t *testing.T) {
	t.Parallel()
	r := comparator.Result{Differences: []comparator.Difference{{Type: "odd", Ref: parse("a/disk/d")}}}
	if p, err := decider.Decide(r, kinds, decider.Facts{}); err == nil {
		t.Errorf("a plan: %v", p)
	}
}

func TestADependencyCycleIsAnError(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/server/x", "peer @a/server/y"), desired("a/server/y", "peer @a/server/z"), desired("a/server/z", "peer @a/server/x")})
	_, err := decider.Decide(s.compare(t), kinds, decider.Facts{})
	var cycle *resource.CycleError
	if !errors.As(err, &cycle) {
		t.Fatalf("got %v", err)
	}
	if d := cmp.Diff([]resource.Ref{parse("a/server/x"), parse("a/server/y"), parse("a/server/z")}, cycle.Cycle); d != "" {
		t.Errorf("the cycle (-want +got):\n%s", d)
	}
}

func TestPlansAreInDependencyOrder(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/disk/d", ""), desired("a/server/s", "network @a/network/n disks @a/disk/d"), desired("a/network/n", "")})
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

func TestDeletesRunInReverseDependencyOrder(t *testing.T) {
	t.Parallel()
	// The network is replaced with the server on it; another server releases a disk that is deleted.
	s := sceneOf(
		configured{desired("a/network/n", "range 2"), desired("a/server/s", "network @a/network/n"), desired("a/server/m", "disks @a/disk/new"), desired("a/disk/new", "")},
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

func TestResourcesThatReferToEachOtherCanBothBeDeleted(t *testing.T) {
	t.Parallel()
	s := sceneOf(nil, ours("a/server/x", "x-1", "peer y-1"), ours("a/server/y", "y-1", "peer x-1"))
	p := s.plan(t, decider.Facts{})
	if steps := decider.Steps(p); len(steps) != 2 {
		t.Errorf("%d steps: %v", len(steps), steps)
	}
}
