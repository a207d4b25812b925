package replace_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

func ref(name string) resource.Ref {
	return resource.Ref{Provider: "p", Location: "l", Kind: "k", Name: name}
}

func refs(names ...string) (out []resource.Ref) {
	for _, n := range names {
		out = append(out, ref(n))
	}
	return out
}

// drawNodes draws a plan. Configurations refer to each other without cycles, in an order of
// their own; so do the resources that exist, most of them to what the configuration names.
func drawNodes(t *rapid.T, cyclic bool) []replace.Node {
	n := rapid.IntRange(2, 8).Draw(t, "nodes")
	rank := rapid.Permutation(indices(n)).Draw(t, "rank of what exists")
	nodes := make([]replace.Node, n)
	for i := range nodes {
		what := rapid.SampledFrom([]string{"create", "update", "delete", "replace", "replace", "replace"}).Draw(t, "action")
		nodes[i] = replace.Node{Ref: ref(fmt.Sprint(i)), Creates: what != "delete", Deletes: what == "delete" || what == "replace"}
		if what == "replace" {
			nodes[i].Strategy = rapid.SampledFrom(strategies).Draw(t, "strategy")
		}
	}
	same := rapid.IntRange(0, 3).Draw(t, "what exists is as configured") > 0
	for i := range nodes {
		for j := range nodes {
			refers := j < i && rapid.IntRange(0, 2).Draw(t, "refers") == 0
			held := refers
			if !same {
				held = (rank[j] < rank[i] || cyclic) && i != j && rapid.IntRange(0, 2).Draw(t, "held") == 0
			}
			if refers && nodes[i].Creates {
				nodes[i].DependsOn = append(nodes[i].DependsOn, nodes[j].Ref)
			}
			if held && (nodes[i].Deletes || i%2 == 0) {
				nodes[i].Holds = append(nodes[i].Holds, nodes[j].Ref)
			}
		}
	}
	return nodes
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// downgraded gives the nodes with their downgrades done, and those.
func downgraded(nodes []replace.Node) ([]replace.Node, []replace.Downgraded) {
	out := append([]replace.Node(nil), nodes...)
	down := replace.Downgrade(nodes)
	for _, d := range down {
		out[d.Node].Strategy = resource.DestroyFirst
	}
	return out, down
}

// rules are the sentences of Order, as pairs of tasks by name: the first is done first.
func rules(nodes []replace.Node) (out [][2]string) {
	byRef := map[resource.Ref]*replace.Node{}
	for i := range nodes {
		byRef[nodes[i].Ref] = &nodes[i]
	}
	before := func(first, then string) { out = append(out, [2]string{first, then}) }
	for i := range nodes {
		n := &nodes[i]
		if n.Creates && n.Deletes && n.Strategy == resource.DestroyFirst {
			before("-"+n.Ref.Name, "+"+n.Ref.Name)
		} else if n.Creates && n.Deletes {
			before("+"+n.Ref.Name, "-"+n.Ref.Name)
		}
		for _, r := range n.DependsOn {
			x := byRef[r]
			if n.Creates && x.Creates {
				before("+"+r.Name, "+"+n.Ref.Name)
			}
			if n.Creates && x.Creates && x.Deletes && x.Strategy == resource.CreateFirst {
				before("+"+n.Ref.Name, "-"+r.Name)
			}
		}
		for _, r := range n.Holds {
			if n.Deletes && byRef[r].Deletes {
				before("-"+n.Ref.Name, "-"+r.Name)
			}
		}
	}
	return out
}

// waits gives for each task, by name, all that it waits for, directly or not.
func waits(nodes []replace.Node, tasks []replace.Task) map[string]map[string]bool {
	name := func(t replace.Task) string {
		if t.Deletes {
			return "-" + nodes[t.Node].Ref.Name
		}
		return "+" + nodes[t.Node].Ref.Name
	}
	out := map[string]map[string]bool{}
	for _, t := range tasks {
		all := map[string]bool{}
		for _, a := range t.After {
			all[name(tasks[a])] = true
			for b := range out[name(tasks[a])] {
				all[b] = true
			}
		}
		out[name(t)] = all
	}
	return out
}

// TestDowngradedPlansHaveNoCycle: after the downgrade every plan has an order, which keeps the rules.
func TestDowngradedPlansHaveNoCycle(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		nodes := drawNodes(t, false)
		if _, err := replace.Order(nodes); err != nil {
			isCycle(t, err)
		}
		keepsTheRules(t, nodes)
	})
}

// TestAPlanThatNeedsADowngrade has no order without it: b exists before a is replaced, which held b until now.
func TestAPlanThatNeedsADowngrade(t *testing.T) {
	t.Parallel()
	nodes := []replace.Node{
		{Ref: ref("a"), Creates: true, Deletes: true, Strategy: resource.CreateFirst, Holds: refs("b")},
		{Ref: ref("b"), Creates: true, Deletes: true, Strategy: resource.DestroyFirst, DependsOn: refs("a")},
	}
	_, err := replace.Order(nodes)
	isCycle(t, err)
	keepsTheRules(t, nodes)
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func isCycle(t failer, err error) {
	t.Helper()
	var cycle *resource.CycleError
	if !errors.As(err, &cycle) || len(cycle.Cycle) < 1 {
		t.Fatalf("the error is %v", err)
	}
}

func keepsTheRules(t failer, nodes []replace.Node) {
	t.Helper()
	fixed, down := downgraded(nodes)
	tasks, err := replace.Order(fixed)
	if err != nil {
		t.Fatalf("%+v, downgraded %+v: %v", nodes, down, err)
	}
	waits := waits(fixed, tasks)
	for _, r := range rules(fixed) {
		if !waits[r[1]][r[0]] {
			t.Errorf("%s does not wait for %s: %+v", r[1], r[0], tasks)
		}
	}
	count := 0
	for i := range fixed {
		for _, does := range []bool{fixed[i].Creates, fixed[i].Deletes} {
			if does {
				count++
			}
		}
	}
	if len(tasks) != count || len(waits) != count {
		t.Errorf("%d tasks, %d of them different; want %d", len(tasks), len(waits), count)
	}
}

// TestOnlyWhatMustIsDowngraded: each downgrade taken back alone makes a cycle again.
func TestOnlyWhatMustIsDowngraded(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		nodes := drawNodes(t, false)
		fixed, down := downgraded(nodes)
		for _, d := range down {
			if n := nodes[d.Node]; n.Ref != d.Ref || n.Strategy != d.Was || !d.Was.KeepsOld() {
				t.Errorf("%+v, and it was %+v", d, n)
			}
			fixed[d.Node].Strategy = d.Was
			if _, err := replace.Order(fixed); err == nil {
				t.Errorf("%s need not be destroy-first", d.Ref)
			}
			fixed[d.Node].Strategy = resource.DestroyFirst
		}
	})
}

// TestCyclesAmongWhatExistsAreCut: two groups that refer to each other can both be deleted.
func TestCyclesAmongWhatExistsAreCut(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		fixed, _ := downgraded(drawNodes(t, true))
		if _, err := replace.Order(fixed); err != nil {
			t.Errorf("%+v: %v", fixed, err)
		}
	})
}

func TestOrder(t *testing.T) {
	t.Parallel()
	create := func(n string, on ...string) replace.Node {
		return replace.Node{Ref: ref(n), Creates: true, DependsOn: refs(on...)}
	}
	swap := func(n string, s resource.Strategy, on ...string) replace.Node {
		return replace.Node{Ref: ref(n), Creates: true, Deletes: true, Strategy: s, DependsOn: refs(on...), Holds: refs(on...)}
	}
	update := func(n string, holds ...string) replace.Node {
		return replace.Node{Ref: ref(n), Creates: true, Holds: refs(holds...)}
	}
	gone := func(n string, holds ...string) replace.Node {
		return replace.Node{Ref: ref(n), Deletes: true, Holds: refs(holds...)}
	}
	for name, c := range map[string]struct {
		nodes      []replace.Node
		want, down []string
	}{
		"creates in order of need": {[]replace.Node{create("app", "net"), create("net")}, []string{"+net", "+app"}, nil},
		"deletes against it":       {[]replace.Node{gone("net"), gone("app", "net")}, []string{"-app", "-net"}, nil},
		"an update lets go first":  {[]replace.Node{gone("net"), update("app", "net")}, []string{"+app", "-net"}, nil},
		"destroy-first is downgraded along": {
			[]replace.Node{swap("net", resource.DestroyFirst), swap("app", resource.CreateFirst, "net"), swap("web", resource.Swap, "app")},
			[]string{"-web", "-app", "-net", "+net", "+app", "+web"},
			[]string{"app follows net", "web follows net"},
		},
		"create-first under destroy-first": {
			[]replace.Node{swap("net", resource.CreateFirst), swap("app", resource.DestroyFirst, "net")},
			[]string{"+net", "-app", "+app", "-net"},
			nil,
		},
		"create-first waits for updates": {[]replace.Node{
			swap("net", resource.CreateFirst),
			{Ref: ref("app"), Creates: true, DependsOn: refs("net"), Holds: refs("net")},
		}, []string{"+net", "+app", "-net"}, nil},
		"destroy-first does not": {[]replace.Node{
			swap("net", resource.DestroyFirst),
			{Ref: ref("app"), Creates: true, DependsOn: refs("net"), Holds: refs("net")},
		}, []string{"-net", "+net", "+app"}, nil},
		"a release that can only come later": {[]replace.Node{
			swap("net", resource.DestroyFirst), create("app", "net"),
			{Ref: ref("web"), Creates: true, DependsOn: refs("app"), Holds: refs("net")},
		}, []string{"-net", "+net", "+app", "+web"}, nil},
		"what a create-first user drags along": {[]replace.Node{
			swap("disk", resource.DestroyFirst),
			{Ref: ref("vm"), Creates: true, Deletes: true, Strategy: resource.CreateFirst, Holds: refs("disk")},
			create("name", "vm", "disk"),
		}, []string{"-vm", "-disk", "+vm", "+disk", "+name"}, []string{"vm follows disk"}},
		"a swap waits for no user": {[]replace.Node{
			swap("disk", resource.DestroyFirst),
			{Ref: ref("vm"), Creates: true, Deletes: true, Strategy: resource.Swap, Holds: refs("disk")},
			create("name", "vm", "disk"),
		}, []string{"+vm", "-vm", "-disk", "+disk", "+name"}, nil},
		"nor for its update": {[]replace.Node{
			swap("net", resource.Swap),
			{Ref: ref("app"), Creates: true, DependsOn: refs("net"), Holds: refs("net")},
		}, []string{"+net", "-net", "+app"}, nil},
		"a release that is cut downgrades nothing": {
			[]replace.Node{
				swap("disk", resource.DestroyFirst), swap("net", resource.DestroyFirst),
				{Ref: ref("vm"), Creates: true, Deletes: true, Strategy: resource.Swap, DependsOn: refs("net"), Holds: refs("disk")},
				create("app", "net"),
				{Ref: ref("web"), Creates: true, DependsOn: refs("disk", "app"), Holds: refs("net")},
			},
			[]string{"-net", "+net", "+vm", "+app", "-vm", "-disk", "+disk", "+web"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixed, down := downgraded(c.nodes)
			tasks, err := replace.Order(fixed)
			if err != nil {
				t.Fatal(err)
			}
			var got, gotDown []string
			for _, task := range tasks {
				sign := "+"
				if task.Deletes {
					sign = "-"
				}
				got = append(got, sign+fixed[task.Node].Ref.Name)
			}
			for _, d := range down {
				gotDown = append(gotDown, d.Ref.Name+" follows "+d.Follows.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.down, gotDown); diff != "" {
				t.Errorf("downgraded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACycleOfConfigurationsIsAnError(t *testing.T) {
	t.Parallel()
	_, err := replace.Order([]replace.Node{
		{Ref: ref("a"), Creates: true, DependsOn: refs("b")},
		{Ref: ref("b"), Creates: true, DependsOn: refs("c")},
		{Ref: ref("c"), Creates: true, DependsOn: refs("b")},
	})
	var cycle *resource.CycleError
	if !errors.As(err, &cycle) || len(cycle.Cycle) != 2 {
		t.Errorf("%v, want a cycle of b and c", err)
	}
}
