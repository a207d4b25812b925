package replace

import (
	"maps"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// graph is the nodes with their edges, by index. Edges to what the plan does not touch, or
// touches in another way than the edge is about, are not in it.
type graph struct {
	nodes      []Node
	dependsOn  [][]int // what must be created or updated before this is
	dependents [][]int // the same, from the other side
	holds      [][]int // what is deleted only after this is
	holders    [][]int // the same, from the other side
	releases   [][]int // what is deleted, and this update lets go of
	releasers  [][]int // the same, from the other side
	vacates    [][]int // the nodes that take an exclusive thing of this one when they are created or updated
	takesFrom  [][]int // the same, from the other side
	late       [][]int // by task: the nodes that are deleted, to make room, only after the task
	turns      [][]int // what has its turn after this; nil means that turns do not count
	keepsOld   []bool  // replaces that create before they delete
	cut        map[edge]bool
}

func newGraph(nodes []Node) *graph {
	index := make(map[resource.Ref]int, len(nodes))
	for i := range nodes {
		index[nodes[i].Ref] = i
	}
	n := len(nodes)
	g := &graph{
		nodes: nodes, dependsOn: make([][]int, n), dependents: make([][]int, n), holds: make([][]int, n),
		holders: make([][]int, n), releases: make([][]int, n), releasers: make([][]int, n), keepsOld: make([]bool, n),
		vacates: make([][]int, n), takesFrom: make([][]int, n), late: make([][]int, 2*n), cut: map[edge]bool{},
	}
	for i := range nodes {
		d := &nodes[i]
		g.keepsOld[i] = d.Creates && d.Deletes && d.Strategy != "" && d.Strategy.KeepsOld()
		for _, r := range d.DependsOn {
			if j, ok := index[r]; ok && j != i && d.Creates && nodes[j].Creates && !slices.Contains(g.dependsOn[i], j) {
				g.dependsOn[i], g.dependents[j] = append(g.dependsOn[i], j), append(g.dependents[j], i)
			}
		}
		for _, r := range d.Vacates {
			if j, ok := index[r]; ok && j != i && d.Creates && !slices.Contains(g.takesFrom[i], j) {
				g.takesFrom[i], g.vacates[j] = append(g.takesFrom[i], j), append(g.vacates[j], i)
			}
		}
		for _, r := range d.Holds {
			j, ok := index[r]
			switch {
			case !ok || j == i || !nodes[j].Deletes:
			case d.Deletes && !slices.Contains(g.holds[i], j):
				g.holds[i], g.holders[j] = append(g.holds[i], j), append(g.holders[j], i)
			case d.Creates && !d.Deletes && !slices.Contains(g.releases[i], j):
				g.releases[i], g.releasers[j] = append(g.releases[i], j), append(g.releasers[j], i)
			}
		}
	}
	return g
}

// takeTurns adds the edges of turns.
func (g *graph) takeTurns() {
	index := make(map[resource.Ref]int, len(g.nodes))
	for i := range g.nodes {
		index[g.nodes[i].Ref] = i
	}
	g.turns = make([][]int, len(g.nodes))
	for i := range g.nodes {
		for _, r := range g.nodes[i].Turns {
			if j, ok := index[r]; ok && j != i && g.nodes[j].Creates && !slices.Contains(g.turns[j], i) {
				g.turns[j] = append(g.turns[j], i)
			}
		}
	}
}

// turnsAfter calls visit with the first task of each node whose turn is after node i, unless a
// dependency puts it there too.
func (g *graph) turnsAfter(i int, visit func(int)) {
	if g.turns == nil {
		return
	}
	for _, j := range g.turns[i] {
		if g.nodes[j].Deletes && !g.keepsOld[j] {
			if !slices.Contains(g.releases[i], j) {
				visit(deletes(j))
			}
		} else if !slices.Contains(g.dependents[i], j) {
			visit(creates(j))
		}
	}
}

// edge is two tasks: the second waits for the first.
type edge [2]int

// A task of the graph is 2i for creating node i, and 2i+1 for deleting it.

func creates(i int) int { return 2 * i }
func deletes(i int) int { return 2*i + 1 }

func (g *graph) exists(task int) bool {
	n := &g.nodes[task/2]
	return task%2 == 0 && n.Creates || task%2 == 1 && n.Deletes
}

// then calls visit once with each task that waits for this one.
func (g *graph) then(task int, visit func(int)) {
	g.thenSurely(task, visit)
	if i := task / 2; task == creates(i) {
		for _, j := range g.releases[i] {
			if !g.cut[edge{task, deletes(j)}] {
				visit(deletes(j))
			}
		}
		g.turnsAfter(i, visit)
	}
}

// thenSurely is then without the updates that let go of something.
func (g *graph) thenSurely(task int, visit func(int)) {
	i := task / 2
	if task == g.frees(i) {
		for _, j := range g.vacates[i] {
			if !slices.Contains(g.dependents[i], j) || task == deletes(i) && g.keepsOld[i] {
				visit(creates(j))
			}
		}
	}
	for _, j := range g.late[task] {
		visit(deletes(j))
	}
	if task == deletes(i) {
		if g.nodes[i].Creates && !g.keepsOld[i] {
			visit(creates(i))
		}
		for _, j := range g.holds[i] {
			if !g.cut[edge{task, deletes(j)}] {
				visit(deletes(j))
			}
		}
		return
	}
	if g.keepsOld[i] {
		visit(deletes(i))
	}
	for _, j := range g.dependents[i] {
		visit(creates(j))
	}
	for _, j := range g.dependsOn[i] {
		if g.createFirst(j) {
			visit(deletes(j))
		}
	}
}

// frees returns the task after which a node no longer has the things that it gives up.
func (g *graph) frees(i int) int {
	if g.nodes[i].Deletes {
		return deletes(i)
	}
	return creates(i)
}

func (g *graph) createFirst(i int) bool {
	return g.keepsOld[i] && g.nodes[i].Strategy == resource.CreateFirst
}

// reach gives every task that waits for this one, directly or not; itself only if it waits in
// a cycle.
func (g *graph) reach(task int, releases bool) map[int]bool {
	then := g.thenSurely
	if releases {
		then = g.then
	}
	return closure(task, then)
}

// closure gives all that is reached from a start, without the start unless a way leads back.
func closure(start int, next func(int, func(int))) map[int]bool {
	seen := map[int]bool{}
	stack := []int{start}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		next(t, func(n int) {
			if !seen[n] {
				seen[n] = true
				stack = append(stack, n)
			}
		})
	}
	return seen
}

// along follows lists of neighbors.
func along(lists [][]int) func(int, func(int)) {
	return func(i int, visit func(int)) {
		for _, j := range lists[i] {
			visit(j)
		}
	}
}

func inOrder(set map[int]bool) []int { return slices.Sorted(maps.Keys(set)) }
