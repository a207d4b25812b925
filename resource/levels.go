package resource

import (
	"fmt"
	"slices"
	"strings"
)

// Node is a resource and what it depends on.
type Node struct {
	Ref       Ref
	DependsOn []Ref
}

// CycleError reports a dependency cycle.
type CycleError struct {
	Cycle []Ref // each depends on the next, the last on the first
}

func (e *CycleError) Error() string {
	names := make([]string, 0, len(e.Cycle)+1)
	for _, r := range e.Cycle {
		names = append(names, r.String())
	}
	names = append(names, e.Cycle[0].String())
	return "resource: dependency cycle: " + strings.Join(names, " -> ") + "; remove one of these dependencies"
}

// DanglingError reports a dependency that is neither configured nor observed.
type DanglingError struct {
	Ref, Dependency Ref
}

func (e *DanglingError) Error() string {
	return fmt.Sprintf("resource: %s depends on %s, which is not configured", e.Ref, e.Dependency)
}

// Levels sorts resources by dependency: each is in the earliest level after the levels of its dependencies.
// Each level is sorted by ref. A dependency that is not among the nodes is a *DanglingError, a cycle a
// *CycleError.
func Levels(nodes []Node) ([][]Ref, error) {
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return a.Ref.Compare(b.Ref) })
	index := make(map[Ref]int, len(nodes))
	for i, n := range nodes {
		if _, duplicate := index[n.Ref]; duplicate {
			return nil, fmt.Errorf("resource: duplicate %s among the resources to order", n.Ref)
		}
		index[n.Ref] = i
	}
	w := walk{nodes: nodes, index: index, level: make([]int, len(nodes))}
	out := [][]Ref{}
	for i, n := range nodes {
		l, err := w.visit(i)
		if err != nil {
			return nil, err
		}
		for len(out) <= l {
			out = append(out, nil)
		}
		out[l] = append(out[l], n.Ref)
	}
	return out, nil
}

// walk finds the level of each node, depth first. Its stack is explicit, because a chain of
// dependencies may be as long as the configuration.
type walk struct {
	nodes []Node
	index map[Ref]int
	level []int // 0 not visited, -1 on the path, else level+1
	path  []frame
}

type frame struct{ node, next, level int }

func (w *walk) visit(start int) (int, error) {
	if w.level[start] > 0 {
		return w.level[start] - 1, nil
	}
	w.push(start)
	for {
		f := &w.path[len(w.path)-1]
		dependencies := w.nodes[f.node].DependsOn
		if f.next == len(dependencies) {
			done := *f
			w.path = w.path[:len(w.path)-1]
			w.level[done.node] = done.level + 1
			if len(w.path) == 0 {
				return done.level, nil
			}
			continue // the frame below reads this level now
		}
		j, ok := w.index[dependencies[f.next]]
		switch {
		case !ok:
			return 0, &DanglingError{w.nodes[f.node].Ref, dependencies[f.next]}
		case w.level[j] == 0:
			w.push(j)
		case w.level[j] < 0:
			return 0, w.cycle(j)
		default:
			f.level = max(f.level, w.level[j])
			f.next++
		}
	}
}

func (w *walk) push(i int) {
	w.level[i] = -1
	w.path = append(w.path, frame{node: i})
}

// cycle cuts the cycle out of the path, starting with its smallest ref, so that the error does
// not depend on where the walk entered the cycle.
func (w *walk) cycle(from int) error {
	i := slices.IndexFunc(w.path, func(f frame) bool { return f.node == from })
	var refs []Ref
	for _, f := range w.path[i:] {
		refs = append(refs, w.nodes[f.node].Ref)
	}
	first := 0
	for k := range refs {
		if refs[k].Compare(refs[first]) < 0 {
			first = k
		}
	}
	return &CycleError{slices.Concat(refs[first:], refs[:first])}
}
