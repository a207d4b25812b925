package renamed

import (
	"cmp"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// among is the resources of one stack, location and kind: a rename does not leave it.
type among struct {
	stack, kind string
	scope       resource.Scope
}

func placeOf(r resource.Ref) among { return among{r.Stack, r.Kind, r.Scope()} }

// Groups lists the undeclared renames of a plan in its order. A resource is in one pair at most. Resources are compared
// after those that they depend on, so that a reference to a renamed resource is the reference to what it was.
func Groups(p decider.Plan, r Record) []Group {
	f := finder{
		Record: r, old: map[among][]*decider.Decision{}, now: map[resource.Ref]resource.Ref{}, was: map[resource.Ref]bool{},
	}
	former := map[among]*former{}
	for _, level := range f.sides(p) {
		for _, all := range level {
			in := placeOf(all[0].Ref)
			if former[in] == nil {
				former[in] = r.formerOf(f.old[in])
			}
			f.pair(all, former[in])
		}
	}
	place := make(map[resource.Ref]int, len(p.Decisions))
	for i := range p.Decisions {
		place[p.Decisions[i].Ref] = i
	}
	slices.SortStableFunc(f.out, func(a, b Group) int { return cmp.Compare(place[a.New[0]], place[b.New[0]]) })
	return f.out
}

// finder collects groups.
type finder struct {
	Record
	old map[among][]*decider.Decision // what is no longer configured
	now map[resource.Ref]resource.Ref // the former names of the new resources in pairs
	was map[resource.Ref]bool         // the old resources in pairs
	out []Group
}

// sides sets the resources that are no longer configured, and returns the creates of the same kinds by level: a level
// depends only on earlier ones.
func (f *finder) sides(p decider.Plan) (levels [][][]*decider.Decision) {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Difference == comparator.Unwanted && d.Observed != nil && d.New == nil &&
			(d.Proposed == decider.Delete && d.Reason != decider.ReasonDestroyed || d.Reason == decider.ReasonKept) {
			f.old[placeOf(d.Ref)] = append(f.old[placeOf(d.Ref)], d)
		}
	}
	if len(f.old) == 0 {
		return nil
	}
	depth := map[resource.Ref]int{}
	at := map[among]map[int]int{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Proposed != decider.Create || d.Desired == nil || !d.Renamed.IsZero() || len(f.old[placeOf(d.Ref)]) == 0 {
			continue
		}
		level := 0
		for _, on := range d.DependsOn {
			if n, is := depth[on]; is {
				level = max(level, n+1)
			}
		}
		depth[d.Ref] = level
		for len(levels) <= level {
			levels = append(levels, nil)
		}
		place := placeOf(d.Ref)
		if at[place] == nil {
			at[place] = map[int]int{}
		}
		k, known := at[place][level]
		if !known {
			k = len(levels[level])
			at[place][level], levels[level] = k, append(levels[level], nil)
		}
		levels[level][k] = append(levels[level][k], d)
	}
	return levels
}

// pair finds the pairs of the creates of one kind and level.
func (f *finder) pair(created []*decider.Decision, old *former) {
	sure := map[resource.Ref]*Group{} // by the new block
	for _, c := range f.classes(created) {
		m := members{new: c.all, old: slices.DeleteFunc(slices.Clone(old.equal(c)), func(d *decider.Decision) bool {
			return f.was[d.Ref]
		})}
		for _, x := range m.sure() {
			f.take(x.Pair)
			g := sure[x.block]
			if g == nil {
				g = &Group{Sure: true, Was: x.was, Used: x.to.Desired.At.Used, Lines: f.Lines(x.to.Desired)}
				sure[x.block] = g
			}
			if g.Was != x.was {
				g.Was = ""
			}
			g.Pairs, g.Kept = append(g.Pairs, x.Pair), g.Kept || x.from.Reason == decider.ReasonKept
		}
		f.guess(m)
	}
	for block, g := range sure {
		f.out = append(f.out, f.finished(*g, block))
	}
}

// guess makes a group of equal resources of which no pair is the only one: in natural order.
func (f *finder) guess(m members) {
	old := slices.DeleteFunc(m.old, func(d *decider.Decision) bool { return f.was[d.Ref] })
	created := slices.DeleteFunc(m.new, func(d *decider.Decision) bool { return !f.now[d.Ref].IsZero() })
	if len(old) == 0 || len(created) == 0 {
		return
	}
	natural := func(a, b *decider.Decision) int { return decider.CompareNatural(a.Ref, b.Ref) }
	slices.SortFunc(old, natural)
	slices.SortFunc(created, natural)
	first := created[0].Desired
	g := Group{Used: first.At.Used, Lines: f.Lines(first), Sure: len(old) == 1 && len(created) == 1}
	for i, d := range old {
		g.Old, g.Kept = append(g.Old, d.Ref), g.Kept || d.Reason == decider.ReasonKept
		if i < len(created) {
			p := Pair{d.Ref, created[i].Ref}
			f.take(p)
			g.Pairs = append(g.Pairs, p)
		}
	}
	for _, d := range created {
		g.New = append(g.New, d.Ref)
	}
	f.out = append(f.out, g)
}

func (f *finder) take(p Pair) { f.was[p.From], f.now[p.To] = true, p.From }

// finished returns a group with its resources in natural order. `was` and the names of blocks declare it only if the
// former block has no members any more.
func (f *finder) finished(g Group, block resource.Ref) Group {
	slices.SortFunc(g.Pairs, func(a, b Pair) int { return decider.CompareNatural(a.To, b.To) })
	for _, p := range g.Pairs {
		g.Old, g.New = append(g.Old, p.From), append(g.New, p.To)
	}
	from := block
	from.Name = g.Was
	if f.Configured(from) {
		g.Was = ""
	}
	if g.Was != "" && g.Pairs[0].To != block {
		g.From, g.To = from, block
	}
	return g
}
