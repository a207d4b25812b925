package replace_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/internal/drawn"
)

// TestLaw11_WhoeverLosesItsPlaceHasASuccessor: a delete that makes room comes before the task that takes the room, and
// after every task that its successor waits for, unless that one waits for the delete. With the exchanges and the
// downgrades there is always an order.
func TestLaw11_WhoeverLosesItsPlaceHasASuccessor(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		nodes := drawNodes(t, false)
		for i := range nodes { // each thing has one owner, and one heir at most
			if nodes[i].Creates && rapid.IntRange(0, 2).Draw(t, "takes") == 0 {
				j := rapid.IntRange(0, len(nodes)-1).Draw(t, "from")
				taken := slices.ContainsFunc(nodes, func(n replace.Node) bool { return slices.Contains(n.Vacates, nodes[j].Ref) })
				exists := nodes[j].Deletes || j%2 == 0
				if j != i && exists && !taken {
					nodes[i].Vacates = append(nodes[i].Vacates, nodes[j].Ref)
				}
			}
		}
		replaced, stuck := replace.Exchanges(nodes, func(int) bool { return true })
		for _, i := range replaced {
			nodes[i].Deletes = true
		}
		if len(stuck) > 0 {
			return // a person must decide; the decider blocks them
		}
		nodes, _ = downgraded(nodes)
		tasks, err := replace.Order(nodes)
		if err != nil {
			t.Fatalf("%v\n%+v", err, nodes)
		}
		before := waits(nodes, tasks)
		for i := range nodes {
			for _, r := range nodes[i].Vacates {
				j := slices.IndexFunc(nodes, func(n replace.Node) bool { return n.Ref == r })
				frees := "+" + r.Name
				if nodes[j].Deletes {
					frees = "-" + r.Name
				}
				heir := "+" + nodes[i].Ref.Name
				if !before[heir][frees] {
					t.Fatalf("%s does not wait for %s\n%+v", heir, frees, nodes)
				}
				if nodes[j].Creates {
					continue
				}
				for other := range before[heir] {
					if other != frees && !before[frees][other] && !before[other][frees] {
						t.Fatalf("%s may come after %s, which makes room for %s\n%+v", other, frees, heir, nodes)
					}
				}
			}
		}
	})
}

// TestTheFewestAreReplaced: of a rotation one, whatever its length.
func TestTheFewestAreReplaced(t *testing.T) {
	t.Parallel()
	for n := 2; n < 6; n++ {
		nodes := make([]replace.Node, n)
		for i := range nodes {
			nodes[i] = replace.Node{Ref: ref(fmt.Sprint(i)), Creates: true, Vacates: refs(fmt.Sprint((i + 1) % n))}
		}
		replaced, stuck := replace.Exchanges(nodes, func(i int) bool { return i == n-1 })
		if len(replaced) != 1 || replaced[0] != n-1 || len(stuck) != 0 {
			t.Errorf("of %d: %v are replaced, %v are stuck", n, replaced, stuck)
		}
		if replaced, stuck = replace.Exchanges(nodes, func(int) bool { return false }); len(replaced) != 0 || len(stuck) != n {
			t.Errorf("of %d that must not be replaced: %v are replaced, %v are stuck", n, replaced, stuck)
		}
	}
}
