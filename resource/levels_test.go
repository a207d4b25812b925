package resource_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

func res(name string) resource.Ref {
	return resource.Ref{Provider: "fake", Location: "here", Kind: "k", Name: name}
}

func node(name string, dependencies ...string) resource.Node {
	n := resource.Node{Ref: res(name)}
	for _, x := range dependencies {
		n.DependsOn = append(n.DependsOn, res(x))
	}
	return n
}

func TestLevels(t *testing.T) {
	t.Parallel()
	got, err := resource.Levels([]resource.Node{node("web", "net", "disk"), node("disk"), node("dns", "web", "net"), node("net")})
	want := [][]resource.Ref{{res("disk"), res("net")}, {res("web")}, {res("dns")}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestACycleIsReportedInItsOrder(t *testing.T) {
	t.Parallel()
	_, err := resource.Levels([]resource.Node{node("a", "c"), node("b", "d"), node("c", "b"), node("d", "c", "e"), node("e")})
	const want = "resource: dependency cycle: fake/here/k/b -> fake/here/k/d -> fake/here/k/c -> fake/here/k/b; remove one of these dependencies"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := resource.Levels([]resource.Node{node("a", "a")}); err == nil {
		t.Error("a resource that depends on itself is not reported")
	}
}

func TestAMissingDependencyIsReported(t *testing.T) {
	t.Parallel()
	_, err := resource.Levels([]resource.Node{node("a", "b"), node("b", "gone")})
	var dangling *resource.DanglingError
	if !errors.As(err, &dangling) || dangling.Ref != res("b") || dangling.Dependency != res("gone") {
		t.Errorf("got %v", err)
	}
}

func TestADuplicateResourceIsAnError(t *testing.T) {
	t.Parallel()
	if l, err := resource.Levels([]resource.Node{node("a"), node("a")}); err == nil {
		t.Errorf("got %v", l)
	}
}

func TestALongChainDoesNotExhaustTheStack(t *testing.T) {
	t.Parallel()
	nodes := []resource.Node{node("0")}
	for i := 1; i < 50_000; i++ {
		nodes = append(nodes, node(fmt.Sprint(i), fmt.Sprint(i-1)))
	}
	if l, err := resource.Levels(nodes); err != nil || len(l) != len(nodes) {
		t.Errorf("%d levels, %v", len(l), err)
	}
}

// Every dependency is in an earlier level, each resource has one level, and a cycle is reported
// if and only if there is one.
func TestLevelsHold(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "resources")
		nodes := make([]resource.Node, n)
		var reach [8][8]bool
		for i := range nodes {
			nodes[i] = node(fmt.Sprint(i))
			for j := range n {
				if rapid.IntRange(0, 4).Draw(t, "depends") == 0 {
					nodes[i].DependsOn = append(nodes[i].DependsOn, res(fmt.Sprint(j)))
					reach[i][j] = true
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		cycle := false
		for i := range n {
			cycle = cycle || reach[i][i]
		}
		levels, err := resource.Levels(rapid.Permutation(nodes).Draw(t, "order"))
		if (err != nil) != cycle {
			t.Fatalf("a cycle exists: %v, got %v", cycle, err)
		}
		var c *resource.CycleError
		if errors.As(err, &c) {
			for i, r := range c.Cycle {
				next := c.Cycle[(i+1)%len(c.Cycle)]
				found := false
				for _, x := range nodes {
					for _, dependency := range x.DependsOn {
						found = found || x.Ref == r && dependency == next
					}
				}
				if !found {
					t.Fatalf("%s does not depend on %s", r, next)
				}
			}
			return
		}
		at := map[resource.Ref]int{}
		for l, refs := range levels {
			for _, r := range refs {
				if _, duplicate := at[r]; duplicate {
					t.Fatalf("%s is in two levels", r)
				}
				at[r] = l
			}
		}
		if len(at) != n {
			t.Fatalf("%d of %d resources have a level", len(at), n)
		}
		for _, x := range nodes {
			lowest := 0
			for _, dependency := range x.DependsOn {
				lowest = max(lowest, at[dependency]+1)
			}
			if at[x.Ref] != lowest {
				t.Fatalf("%s is in level %d, want %d", x.Ref, at[x.Ref], lowest)
			}
		}
	})
}
