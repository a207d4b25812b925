package git

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// commits are those of all branches of a repository, children before parents.
type commits struct {
	order   []string
	parents map[string][]string
	marks   map[string]resource.Marks // of the commits that branches started with
}

// graphOf reads the output of git log: a commit with its parents, NUL, its trailer, NUL.
func graphOf(log string, scope resource.Scope) *commits {
	out := &commits{parents: map[string][]string{}, marks: map[string]resource.Marks{}}
	fields := strings.Split(log, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		ids := strings.Fields(fields[i])
		if len(ids) == 0 {
			continue
		}
		out.order = append(out.order, ids[0])
		out.parents[ids[0]] = ids[1:]
		if m := system.ParseMarks([]byte(strings.TrimSpace(fields[i+1])), scope, system.KindBranch); !m.IsZero() {
			out.marks[ids[0]] = m
		}
	}
	return out
}

// shared is the holder of a commit that several branches have.
const shared = "\x00"

// own counts for each branch the commits that no other one has, without those that hold its marks.
func (g *commits) own(heads map[string]string) map[string]int64 {
	holder := map[string]string{}
	give := func(commit, to string) {
		if had, held := holder[commit]; held && had != to {
			to = shared
		}
		holder[commit] = to
	}
	for name, head := range heads {
		give(head, name)
	}
	out := map[string]int64{}
	for _, c := range g.order {
		by := holder[c]
		for _, p := range g.parents[c] {
			give(p, by)
		}
		if by != shared && g.marks[c].Ref.Name != by {
			out[by]++
		}
	}
	return out
}

// first finds the marks of a branch in its history, and the first commit of that along first parents. A commit
// that another branch started with marks nothing: a merge or a copy brought it.
func (g *commits) first(name, head string) (m resource.Marks, root string) {
	seen := map[string]bool{head: true}
	for next := []string{head}; len(next) > 0; {
		c := next[len(next)-1]
		next = next[:len(next)-1]
		if at := g.marks[c]; at.Ref.Name == name {
			return at, ""
		}
		for _, p := range g.parents[c] {
			if !seen[p] {
				seen[p] = true
				next = append(next, p)
			}
		}
	}
	for root = head; len(g.parents[root]) > 0; {
		root = g.parents[root][0]
	}
	return m, root
}

// observed are the branches as resources.
func (g *commits) observed(heads map[string]string, scope resource.Scope) (out []resource.Observed) {
	own := g.own(heads)
	for _, name := range slices.Sorted(maps.Keys(heads)) {
		m, root := g.first(name, heads[name])
		out = append(out, branch(scope, name, heads[name], m, root, own[name]))
	}
	return out
}

// branch is a branch as a resource. Its UID is the key with which it was created, or else its first commit.
func branch(scope resource.Scope, name, commit string, m resource.Marks, root string,
	unmerged int64,
) resource.Observed {
	o := resource.Observed{
		Ref: resource.Ref{Provider: system.Name, Location: scope.Location, Kind: system.KindBranch, Name: name},
		ID:  name, UID: m.Key, Marks: m, Health: resource.Healthy,
		Attrs: resource.AttrsOf(system.Values{"commit": resource.String(commit), "unmerged": resource.Int(unmerged)}),
	}
	if o.UID == "" {
		o.UID = root
	}
	return o
}
