package replace

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Downgraded is a replace that becomes destroy-first because one that it follows is.
type Downgraded struct {
	Node         int // index into the nodes
	Ref, Follows resource.Ref
	Was          resource.Strategy
}

// Downgrade lists the replaces that must be destroy-first although they need not be by
// themselves, in the order of the nodes. A resource that refers to a destroy-first one is
// created after the new one, which is created after the old one is deleted, which waits until
// nothing refers to it: the old resource must go first. With these changed, Order finds no
// cycle.
func Downgrade(nodes []Node) []Downgraded {
	g := newGraph(nodes)
	d := downgrade{graph: g, follows: map[int]int{}}
	keeps := false
	for i := range nodes {
		keeps = keeps || g.keepsOld[i]
		if nodes[i].Creates && nodes[i].Deletes && !g.keepsOld[i] {
			d.first = append(d.first, i)
		}
	}
	if !keeps {
		return nil
	}
	g.cutReleases()
	d.spread()
	for chosen := false; ; chosen = true {
		_, left := g.sorted()
		if len(left) == 0 || !d.breakCycle(left) {
			if chosen {
				d.takeBack()
			}
			break
		}
		d.spread()
	}
	var out []Downgraded
	for i := range nodes {
		if y, ok := d.follows[i]; ok {
			out = append(out, Downgraded{Node: i, Ref: nodes[i].Ref, Follows: nodes[y].Ref, Was: nodes[i].Strategy})
		}
	}
	return out
}

type downgrade struct {
	*graph
	first   []int       // destroy-first replaces that are still to be spread
	follows map[int]int // downgraded nodes, and what each follows
}

func (d *downgrade) set(i, follows int) {
	d.keepsOld[i] = false
	d.follows[i] = follows
	d.first = append(d.first, i)
}

// spread downgrades what must follow a destroy-first replace: what is deleted before it and
// created after it, or has something that refers to it created after it.
func (d *downgrade) spread() {
	for len(d.first) > 0 {
		y := d.first[0]
		d.first = d.first[1:]
		if len(d.holders[y]) == 0 {
			continue
		}
		after := closure(y, along(d.dependents))
		for _, x := range inOrder(closure(y, along(d.holders))) {
			if d.keepsOld[x] && d.comesAfter(x, after) {
				d.set(x, y)
			}
		}
	}
}

func (d *downgrade) comesAfter(x int, after map[int]bool) bool {
	return after[x] || d.createFirst(x) && slices.ContainsFunc(d.dependents[x], func(u int) bool { return after[u] })
}

// breakCycle downgrades one replace of a cycle that runs through several.
func (d *downgrade) breakCycle(left map[int]bool) bool {
	for x := range d.nodes {
		if !d.keepsOld[x] || !left[deletes(x)] {
			continue
		}
		reached := d.reach(deletes(x), true)
		if !reached[deletes(x)] {
			continue
		}
		for _, y := range inOrder(reached) {
			if y%2 == 1 && d.nodes[y/2].Creates && !d.keepsOld[y/2] {
				d.set(x, y/2)
				return true
			}
		}
		for _, y := range inOrder(reached) { // it is in the way of a node that needs its exclusive things
			if len(d.vacates[y/2]) == 0 || y != d.frees(y/2) {
				continue
			}
			if d.set(x, y/2); y/2 == x { // it keeps what one that refers to it needs
				d.follows[x] = d.vacates[x][0]
			}
			return true
		}
	}
	return false
}

// takeBack undoes downgrades that turn out not to be needed: where a cycle ran through several
// replaces, the one chosen may have been the wrong one.
func (d *downgrade) takeBack() {
	for i := range d.nodes {
		if follows, ok := d.follows[i]; ok {
			d.keepsOld[i] = true
			if _, left := d.sorted(); len(left) > 0 {
				d.keepsOld[i] = false
				continue
			}
			delete(d.follows, i)
			for j, y := range d.follows {
				if y == i {
					d.follows[j] = follows
				}
			}
		}
	}
}
