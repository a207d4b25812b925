package resource

import (
	"fmt"
	"slices"
	"strings"
)

// Node is a thing and what must be there before it.
type Node struct {
	Ref       Ref
	DependsOn []Ref
}

// CycleError says that things need each other in a circle.
type CycleError struct {
	Cycle []Ref // each needs the next; the last needs the first
}

func (e *CycleError) Error() string {
	names := make([]string, 0, len(e.Cycle)+1)
	for _, r := range e.Cycle {
		names = append(names, r.String())
	}
	names = append(names, e.Cycle[0].String())
	return "resource: these need each other in a circle, take one need away: " + strings.Join(names, " → ")
}

// DanglingError says that a thing needs something that is neither wanted nor there.
type DanglingError struct {
	Ref, Dependency Ref
}

func (e *DanglingError) Error() string {
	return fmt.Sprintf("resource: %s needs %s, which is not among the things wanted", e.Ref, e.Dependency)
}

// Levels sorts things by need: what is in one level needs only things of earlier ones, and
// stands as early as it can. Each level is sorted by ref. Every need must be among the
// nodes, else the error is a *DanglingError; a circle is a *CycleError.
func Levels(nodes []Node) ([][]Ref, error) {
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return a.Ref.Compare(b.Ref) })
	index := make(map[Ref]int, len(nodes))
	for i, n := range nodes {
		if _, twice := index[n.Ref]; twice {
			return nil, fmt.Errorf("resource: %s stands twice among the things to order", n.Ref)
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

// walk finds the level of each node, depth first with a stack of its own: a chain of needs
// may be as long as the stack of wishes.
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
		needs := w.nodes[f.node].DependsOn
		if f.next == len(needs) {
			done := *f
			w.path = w.path[:len(w.path)-1]
			w.level[done.node] = done.level + 1
			if len(w.path) == 0 {
				return done.level, nil
			}
			continue // the one above looks at this need again, now known
		}
		j, ok := w.index[needs[f.next]]
		switch {
		case !ok:
			return 0, &DanglingError{w.nodes[f.node].Ref, needs[f.next]}
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

// cycle cuts the circle out of the path, beginning with its smallest ref: the same circle
// reads the same wherever the walk entered it.
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
