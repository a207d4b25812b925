package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// MaxUnavailable is the Policy of a Blocker for an action that would interrupt more of a count than may be
// unavailable, and of a Warning if that limit cannot be kept.
const MaxUnavailable = "max_unavailable"

// interrupts reports whether the decision takes its resource out of service, at least for a while. A
// replace that keeps the old resource counts: if its new one fails, the others are not changed.
func (d *Decision) interrupts() bool {
	return d.Proposed == Replace || d.Proposed == Restart || d.Proposed == Revert
}

// serves reports whether a resource is in service, by its health. Kinds without a health always are.
func serves(ref resource.Ref, f Facts) bool {
	if f.Health == nil {
		return true
	}
	h, exists := f.Health(ref)
	return exists && (h == resource.Healthy || h == "")
}

// turns holds the pending work of one set.
type turns struct {
	of    resource.Ref
	all   []resource.Ref // the resources of the set, in natural order
	most  int            // how many of them may be unavailable
	first []int          // what is not in service and is put into it: it waits for nothing
	rest  []int          // what is in service, or starts, and is interrupted
	stuck []resource.Ref // what is not in service and stays so
}

// takeTurns sets the turns of each set in which an action that is not blocked interrupts a resource in
// service. It reports whether it blocked an action; then the turns must be taken again.
func takeTurns(all []Decision, f Facts) (blocked bool) {
	for i := range all {
		all[i].Turn = nil
	}
	var taken []turns
	for _, t := range turnsOf(all, f) {
		lanes := t.most - len(t.stuck)
		if lanes <= 0 {
			t.block(all)
			blocked = true
			continue
		}
		t.give(all, lanes)
		taken = append(taken, t)
	}
	if len(taken) > 0 && !blocked && cyclic(all) {
		takeBack(all, taken)
	}
	return blocked
}

// turnsOf are the sets of which something in service is interrupted, in the order of their decisions.
func turnsOf(all []Decision, f Facts) (out []turns) {
	var index map[resource.Ref]int
	seen := map[resource.Ref]bool{}
	for i := range all {
		d := &all[i]
		if d.Desired == nil || d.Desired.Set == nil || !d.interrupts() || len(d.Blockers) > 0 {
			continue
		}
		of := resource.SetOf(d.Desired)
		members := f.Sets[of]
		if seen[of] || len(members) < 2 {
			continue
		}
		seen[of] = true
		if index == nil {
			index = byRef(all)
		}
		t := turns{of: of, all: members, most: d.Desired.Set.Most(len(members))}
		if t.divide(all, index, f); len(t.rest) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// starts reports whether a resource is about to be in service: its turn waits for that.
func starts(ref resource.Ref, f Facts) bool {
	h, exists := f.Health(ref)
	return exists && h == resource.Pending
}

// divide sorts the resources of the set by the action that they need. A resource that is configured as
// stopped is not in service.
func (t *turns) divide(all []Decision, index map[resource.Ref]int, f Facts) {
	var starting, serving []int
	for _, ref := range t.all {
		j, planned := index[ref]
		acts := planned && len(all[j].Blockers) == 0
		switch {
		case planned && all[j].Desired != nil && all[j].Desired.State == resource.StateStopped:
		case serves(ref, f):
			if acts && all[j].interrupts() {
				serving = append(serving, j)
			}
		case starts(ref, f):
			if acts && all[j].interrupts() {
				starting = append(starting, j)
			}
		case acts && (all[j].interrupts() || all[j].Proposed == Create):
			t.first = append(t.first, j)
		default:
			t.stuck = append(t.stuck, ref)
		}
	}
	t.rest = append(starting, serving...) // what starts may never be in service without the change
}

// give divides the interrupted resources into lanes, in each of which one waits for the one before. A
// resource that is put into service occupies a lane until it is in service; if it is as many as there are
// lanes, all wait for all of it. The lane of a resource follows from its position in the set: several instances of
// ovi have the same ones.
func (t *turns) give(all []Decision, lanes int) {
	before := make([][]resource.Ref, lanes)
	position := make(map[resource.Ref]int, len(t.all))
	for n, ref := range t.all {
		position[ref] = n
	}
	turn := func(j int) *Turn {
		all[j].Turn = &Turn{Of: t.of.Short(), Most: t.most, Size: len(t.all)}
		return all[j].Turn
	}
	for _, j := range t.first {
		turn(j)
		if len(t.first) < lanes {
			lane := position[all[j].Ref] % lanes
			for before[lane] != nil {
				lane = (lane + 1) % lanes
			}
			before[lane] = []resource.Ref{all[j].Ref}
			continue
		}
		for lane := range before {
			before[lane] = append(before[lane], all[j].Ref)
		}
	}
	for _, j := range t.rest {
		lane := position[all[j].Ref] % lanes
		turn(j).After, before[lane] = before[lane], []resource.Ref{all[j].Ref}
	}
}

// block blocks what would interrupt another one while too many are not in service.
func (t *turns) block(all []Decision) {
	waits := fmt.Sprintf("%s is healthy", t.stuck[0].Short())
	if more := len(t.stuck) - 1; more > 0 {
		waits = fmt.Sprintf("%s and %d more are healthy", t.stuck[0].Short(), more)
	}
	for _, j := range t.rest {
		all[j].Blockers = append(all[j].Blockers, Blocker{
			Policy: MaxUnavailable, Awaits: waits, Reason: fmt.Sprintf("%d of the %d of %s may be unavailable", t.most,
				len(t.all), t.of.Short()),
			Suggestion: "repair " + t.stuck[0].Short() + ", or raise max_unavailable of " + t.of.Short(),
		})
	}
}

// cyclic reports whether what takes turns would wait for itself.
func cyclic(all []Decision) bool {
	nodes, _ := nodesOf(all, unblocked)
	_, err := replace.Order(nodes)
	return err != nil
}

// unblocked returns the action of a decision before any Blocker.
func unblocked(d *Decision) Action {
	if len(d.Blockers) > 0 {
		return Notify
	}
	return d.Proposed
}

// takeBack takes the turns of those sets back that cannot have them: where what they depend on is
// deleted first, all of them are gone before the first is created again.
func takeBack(all []Decision, taken []turns) {
	given := make([]*Turn, len(all))
	for i := range all {
		given[i], all[i].Turn = all[i].Turn, nil
	}
	for _, t := range taken {
		members := append(append([]int{}, t.first...), t.rest...)
		for _, j := range members {
			all[j].Turn = given[j]
		}
		if !cyclic(all) {
			continue
		}
		for _, j := range members {
			all[j].Turn = nil
		}
		d := &all[t.rest[0]]
		d.Warnings = append(d.Warnings, Warning{
			Policy: MaxUnavailable,
			Text: fmt.Sprintf("%d of %s are unavailable at one time: what they depend on is replaced, and they are "+
				"deleted before it", len(t.rest), t.of.Short()),
		})
	}
}
