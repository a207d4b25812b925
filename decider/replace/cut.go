package replace

// cutReleases takes out the edges that no strategy could keep, so that what is left has no
// cycle once every replace is destroy-first: updates that let go of a resource but can only
// come after its delete, and references of existing resources to each other in a cycle.
func (g *graph) cutReleases() {
	keeps := g.keepsOld
	g.keepsOld = make([]bool, len(keeps))
	defer func() { g.keepsOld = keeps }()
	for j := range g.nodes {
		if len(g.releasers[j]) == 0 {
			continue
		}
		after := g.reach(deletes(j), false)
		for _, i := range g.releasers[j] {
			if after[creates(i)] {
				g.cut[edge{creates(i), deletes(j)}] = true
			}
		}
	}
	for {
		if _, left := g.sorted(); len(left) == 0 || !g.cutOne(left) {
			return
		}
	}
}

// cutOne takes the first edge that can be cut out of a cycle among the tasks left: an update
// that lets go if there is one, else a reference between existing resources.
func (g *graph) cutOne(left map[int]bool) bool {
	for _, next := range []struct {
		task  func(int) int
		lists [][]int
	}{{creates, g.releases}, {deletes, g.holds}} {
		for i, list := range next.lists {
			if !left[next.task(i)] {
				continue
			}
			for _, j := range list {
				e := edge{next.task(i), deletes(j)}
				if !g.cut[e] && left[e[1]] && g.reach(e[1], true)[e[0]] {
					g.cut[e] = true
					return true
				}
			}
		}
	}
	return false
}
