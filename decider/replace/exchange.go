package replace

import "slices"

// Exchanges lists the updates that cannot be made in place because several resources wait for each other's exclusive
// things. They must be replaced, so that each gives its things up first. stuck lists the nodes that wait in a cycle
// nevertheless.
func Exchanges(nodes []Node, mayReplace func(int) bool) (replaced, stuck []int) {
	nodes = slices.Clone(nodes)
	if !slices.ContainsFunc(nodes, func(n Node) bool { return len(n.Vacates) > 0 }) {
		return nil, nil
	}
	for {
		g := newGraph(nodes)
		g.keepsOld = make([]bool, len(nodes))
		i, found := g.waitsForItself(mayReplace)
		if !found {
			g.cutReleases()
			_, left := g.sorted()
			if i, found = g.exchange(left, mayReplace); !found {
				for _, task := range inOrder(left) {
					if len(stuck) == 0 || stuck[len(stuck)-1] != task/2 {
						stuck = append(stuck, task/2)
					}
				}
				return replaced, stuck
			}
		}
		nodes[i].Deletes = true
		replaced = append(replaced, i)
	}
}

// waitsForItself finds an update that releases a resource which must be deleted to make room for the update.
func (g *graph) waitsForItself(mayReplace func(int) bool) (int, bool) {
	without := *g
	without.vacates = make([][]int, len(g.nodes))
	for j := range g.nodes {
		for _, i := range g.releasers[j] {
			if mayReplace(i) && g.reach(deletes(j), false)[creates(i)] && !without.reach(deletes(j), false)[creates(i)] {
				return i, true
			}
		}
	}
	return 0, false
}

// exchange finds an update in a cycle that gives something up.
func (g *graph) exchange(left map[int]bool, mayReplace func(int) bool) (int, bool) {
	for _, task := range inOrder(left) {
		i := task / 2
		if task == creates(i) && !g.nodes[i].Deletes && len(g.vacates[i]) > 0 && mayReplace(i) &&
			g.reach(task, false)[task] {
			return i, true
		}
	}
	return 0, false
}

// makeRoomLate lets a delete that makes room wait for all tasks that its successor waits for, except those that wait
// for the delete. The tasks that can fail have then failed before something is given up.
func (g *graph) makeRoomLate() {
	var before [][]int // what each task waits for; made on first use
	for i := range g.nodes {
		for _, j := range g.takesFrom[i] {
			if g.nodes[j].Creates { // a replace or an update, which other tasks wait for
				continue
			}
			if before == nil {
				before = g.reversed()
			}
			after := g.reach(deletes(j), true)
			for _, p := range inOrder(closure(creates(i), along(before))) {
				if p != deletes(j) && !after[p] && !slices.Contains(before[deletes(j)], p) {
					g.late[p] = append(g.late[p], j)
					before[deletes(j)] = append(before[deletes(j)], p)
				}
			}
		}
	}
}

// reversed lists what each task waits for.
func (g *graph) reversed() [][]int {
	before := make([][]int, 2*len(g.nodes))
	for task := range before {
		if g.exists(task) {
			g.then(task, func(next int) { before[next] = append(before[next], task) })
		}
	}
	return before
}
