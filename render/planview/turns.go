package planview

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// turnsOf are the lines about the order in which the resources of a set are interrupted, by the ref of
// the last that is shown of each.
func turnsOf(groups []group) map[resource.Ref]string {
	type name struct {
		resource.Scope
		stack, of string
	}
	type set struct {
		last resource.Ref
		turn *decider.Turn
		n    int
	}
	sets := map[name]*set{}
	for _, g := range groups {
		for i := range g.decisions {
			d := &g.decisions[i]
			if d.Turn == nil || !d.Action.Executes() {
				continue
			}
			of := name{d.Ref.Scope(), d.Ref.Stack, d.Turn.Of}
			if sets[of] == nil {
				sets[of] = &set{}
			}
			s := sets[of]
			s.last, s.turn, s.n = d.Ref, d.Turn, s.n+1
		}
	}
	out := map[resource.Ref]string{}
	for _, s := range sets {
		switch {
		case s.n < 2:
		case s.turn.Most == 1:
			out[s.last] = fmt.Sprintf("one of the %d of %s at a time, the next once the one before is healthy", s.turn.Size,
				s.turn.Of)
		case s.turn.Most < s.turn.Size:
			out[s.last] = fmt.Sprintf("%d of the %d of %s at a time, each next once one before is healthy", s.turn.Most,
				s.turn.Size, s.turn.Of)
		}
	}
	return out
}

// group is the decisions of one location.
type group struct {
	scope      resource.Scope
	decisions  []decider.Decision
	unverified []comparator.Unverified
	kept       []comparator.Kept
}

// groupedByLocation sorts decisions by location, and there by their meaning: conflicts
// first, then what is created, updated, replaced and deleted, then what is blocked. Within
// each the order of the plan stays.
func groupedByLocation(plan decider.Plan) []group {
	index := map[resource.Scope]int{}
	var out []group
	in := func(s resource.Scope) *group {
		at, ok := index[s]
		if !ok {
			at = len(out)
			index[s] = at
			out = append(out, group{scope: s})
		}
		return &out[at]
	}
	for i := range plan.Decisions {
		if d := &plan.Decisions[i]; rankOf(d) != notShown || isUnread(plan, d) {
			g := in(d.Ref.Scope())
			g.decisions = append(g.decisions, *d)
		}
	}
	for _, u := range plan.NotVerified {
		g := in(u.Ref.Scope())
		g.unverified = append(g.unverified, u)
	}
	for _, k := range plan.Kept {
		g := in(k.Ref.Scope())
		g.kept = append(g.kept, k)
	}
	slices.SortStableFunc(out, func(a, b group) int { return a.scope.Compare(b.scope) })
	for _, g := range out {
		rank := func(d *decider.Decision) rank {
			if isUnread(plan, d) {
				return isConflict
			}
			return rankOf(d)
		}
		slices.SortStableFunc(g.decisions, func(a, b decider.Decision) int { return int(rank(&a)) - int(rank(&b)) })
	}
	return out
}

// isUnread says that a resource itself could not be read, though its location and kind were.
func isUnread(plan decider.Plan, d *decider.Decision) bool {
	if d.Difference != comparator.Unreachable {
		return false
	}
	if _, whole := plan.Unreachable[d.Ref.Scope()]; whole {
		return false
	}
	_, kind := plan.UnreachableKinds[d.Ref.Scope()][d.Ref.Kind]
	return !kind
}
