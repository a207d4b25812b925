package replace

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Task is one part of a node: creating (or updating) it, or deleting what exists of it. For a
// replace that keeps the old resource, creating is everything up to a healthy new one.
type Task struct {
	Node    int // index into the nodes
	Deletes bool
	After   []int // indices of earlier tasks that must be done before it, sorted
}

// Order puts the tasks of a plan into an order: each stands after those it waits for, in
// rounds, each round in the order of the nodes.
//
//   - What a configuration refers to is created before it.
//   - What refers to a resource is deleted before that is.
//   - A replace deletes first, or creates first, as its strategy says.
//   - A create-first replace deletes only when all that refers to it is created or updated.
//   - An update that lets go of a resource comes before its delete, unless it can only come
//     after it: then the provider says whether that can be deleted while it is referred to.
//   - A resource gives an exclusive thing up before another one takes it. If the resource is deleted, then as the
//     last of the tasks that the other one waits for: the tasks that can fail have failed before.
//   - A node with turns starts when all of them are created or updated.
//
// Strategies that Downgrade would change, and turns, can make a cycle: the error is a
// *resource.CycleError.
func Order(nodes []Node) ([]Task, error) {
	g := newGraph(nodes)
	g.cutReleases()
	g.makeRoomLate()
	g.takeTurns()
	order, left := g.sorted()
	if len(left) > 0 {
		return nil, g.cycle(left)
	}
	position := make([]int, 2*len(nodes))
	out := make([]Task, len(order))
	for k, task := range order {
		position[task] = k
		out[k] = Task{Node: task / 2, Deletes: task == deletes(task/2)}
	}
	for k, task := range order {
		g.then(task, func(next int) {
			t := &out[position[next]]
			t.After = append(t.After, k)
		})
	}
	return out, nil
}

// sorted gives the tasks in order, and those that wait in a cycle or behind one.
func (g *graph) sorted() (order []int, left map[int]bool) {
	waiting := make([]int, 2*len(g.nodes))
	for task := range waiting {
		if g.exists(task) {
			g.then(task, func(next int) { waiting[next]++ })
		}
	}
	var ready []int
	for task, n := range waiting {
		if n == 0 && g.exists(task) {
			ready = append(ready, task)
		}
	}
	for len(ready) > 0 {
		var after []int
		for _, task := range ready {
			order = append(order, task)
			g.then(task, func(next int) {
				if waiting[next]--; waiting[next] == 0 {
					after = append(after, next)
				}
			})
		}
		slices.Sort(after)
		ready = after
	}
	for task, n := range waiting {
		if n > 0 {
			if left == nil {
				left = map[int]bool{}
			}
			left[task] = true
		}
	}
	return order, left
}

// cycle names the nodes of one cycle among the tasks left.
func (g *graph) cycle(left map[int]bool) error {
	task := inOrder(left)[0]
	var path []int
	for !slices.Contains(path, task) {
		path = append(path, task)
		before := -1 // what is left waits for something that is left
		for t := range left {
			g.then(t, func(next int) {
				if next == task && (before < 0 || t < before) {
					before = t
				}
			})
		}
		task = before
	}
	path = path[slices.Index(path, task):]
	slices.Reverse(path)
	var refs []resource.Ref
	for _, t := range path {
		if r := g.nodes[t/2].Ref; len(refs) == 0 || refs[len(refs)-1] != r {
			refs = append(refs, r)
		}
	}
	return &resource.CycleError{Cycle: refs}
}
