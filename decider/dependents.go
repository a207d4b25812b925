package decider

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

var errOutside = errors.New("it blocks decisions that are not in the plan")

// BlockedByDependency is the Policy of a Blocker for a decision that must follow a blocked one.
const BlockedByDependency = "dependency"

// BlockedByFlight is the Policy of a Blocker for a decision that waits for the end of an action in flight, on the
// resource First, or without one for its turn in a running apply.
const BlockedByFlight = "in_progress"

// WaitsForFlight reports whether a decision waits for nothing else than the end of actions in flight, and whether
// one of them acts on its own resource.
func (d *Decision) WaitsForFlight() (waits, own bool) { return WaitsForFlight(d.Ref, d.Blockers) }

// WaitsForFlight is Decision.WaitsForFlight for the blockers of the decision on a resource.
func WaitsForFlight(of resource.Ref, blockers []Blocker) (waits, own bool) {
	for _, b := range blockers {
		if b.Policy != BlockedByFlight && b.DueTo != BlockedByFlight {
			return false, false
		}
		own = own || b.Policy == BlockedByFlight && b.First == of
	}
	return len(blockers) > 0, own
}

// spreadBlocks blocks the decisions that must follow a blocked one, until there are no more. Each
// round only adds, and adds at most one Blocker to each decision, so it ends.
func spreadBlocks(all []Decision, used users) {
	index := byRef(all)
	for changed := true; changed; {
		changed = false
		for i := range all {
			d := &all[i]
			if !d.Proposed.Executes() || len(d.Blockers) > 0 {
				continue
			}
			if b, blocked := blockedBy(d, all, index); blocked {
				d.Blockers = append(d.Blockers, b)
				changed = true
			}
		}
		for i := range all {
			changed = blocksDelete(i, all, index, used) || blocksRoom(&all[i], all, index) || changed
		}
	}
}

// blockedBy returns the Blocker of a decision that depends on a blocked or unreachable one.
func blockedBy(d *Decision, all []Decision, index map[resource.Ref]int) (Blocker, bool) {
	// Its name stays with another resource while the rename of that one is blocked.
	for _, r := range d.After {
		if x := &all[index[r]]; len(x.Blockers) > 0 {
			return dueTo(x, "its name belongs to %s until the rename to %s, which %s",
				x.Observed.ID, r.Short(), blockedAs(x, all, index)), true
		}
	}
	if d.Desired == nil {
		return Blocker{}, false
	}
	for _, r := range d.Desired.Refs() {
		j, ok := index[r]
		if !ok {
			continue
		}
		x := &all[j]
		switch {
		case x.Difference == comparator.Unreachable:
			return dependencyBlocker(r, "it depends on %s, and %s is unreachable", r.Short(), r.Scope()), true
		case x.Difference == comparator.Conflict && (d.creates() || d.changesTo(r)):
			return dependencyBlocker(r, "it depends on %s, which is in conflict", r.Short()), true
		case len(x.Blockers) == 0:
		case x.Proposed == Create && d.creates(), d.waitsForID(r):
			return dueTo(x, "it depends on %s, which %s", r.Short(), blockedAs(x, all, index)), true
		}
	}
	return Blocker{}, false
}

// blocksDelete blocks deleting what a resource depends on whose own decision is blocked.
func blocksDelete(i int, all []Decision, index map[resource.Ref]int, used users) (changed bool) {
	d := &all[i]
	if len(d.Blockers) == 0 || d.Observed == nil {
		return false
	}
	for _, r := range d.DependsOn {
		x := &all[index[r]]
		if !x.Proposed.Destroys() || len(x.Blockers) > 0 || !d.mustPrecede(x) && !slices.Contains(used[r], i) {
			continue
		}
		x.Blockers = append(x.Blockers, dueTo(d, "%s depends on it and %s", d.Ref.Short(), blockedAs(d, all, index)))
		changed = true
	}
	return changed
}

// blocksRoom blocks a decision that needs a thing which a blocked decision does not give up, and a delete that makes
// room for a blocked decision: nothing would use the room.
func blocksRoom(d *Decision, all []Decision, index map[resource.Ref]int) (changed bool) {
	for _, t := range d.Takes {
		j, known := index[t.By]
		if !known || !t.Leaves || !d.Proposed.Executes() {
			continue
		}
		x := &all[j]
		switch {
		case len(d.Blockers) == 0 && len(x.Blockers) > 0:
			d.Blockers = append(d.Blockers, dueTo(x, "it needs the %s of %s, which %s", t.Hold.What,
				x.Ref.Short(), blockedAs(x, all, index)))
			return true
		case len(d.Blockers) > 0 && x.Proposed == Delete && len(x.Blockers) == 0 &&
			d.Blockers[0].Policy != (Targets{}).Name():
			x.Blockers = append(x.Blockers, dueTo(d, "%s takes its %s and %s", d.Ref.Short(),
				t.Hold.What, blockedAs(d, all, index)))
			changed = true
		}
	}
	return changed
}

// dependencyBlocker returns the Blocker of a decision that must follow the one of first, which no policy blocks.
func dependencyBlocker(first resource.Ref, format string, args ...any) Blocker {
	return Blocker{Policy: BlockedByDependency, Reason: fmt.Sprintf(format, args...), First: first}
}

// dueTo returns the Blocker of a decision that must follow the blocked x: with the first of the chain, the policy
// that blocks it, and until when.
func dueTo(x *Decision, format string, args ...any) Blocker {
	by := x.Blockers[0]
	b := dependencyBlocker(x.Ref, format, args...)
	b.DueTo, b.Until = by.Policy, by.Until
	if by.Policy == BlockedByDependency {
		b.First, b.DueTo = by.First, by.DueTo
	}
	return b
}

// blockedAs is the clause that says why a decision is blocked. A decision in a chain names the first of it: that one
// must change before any of the others can.
func blockedAs(x *Decision, all []Decision, index map[resource.Ref]int) string {
	by := x.Blockers[0]
	switch {
	case by.Policy == BlockedByFlight && by.First == x.Ref:
		return "waits for its action in flight"
	case by.Policy == BlockedByFlight && by.First.IsZero():
		return "waits for its turn"
	case by.Policy == BlockedByFlight:
		return "waits for " + by.First.Short()
	case by.Policy != BlockedByDependency:
		return "is blocked by " + by.Policy
	}
	first := "waits for " + by.First.Short() + ", which "
	i, known := index[by.First]
	switch {
	case by.DueTo == BlockedByFlight:
		return first + "waits for an action in flight"
	case by.DueTo != "":
		return first + "is blocked by " + by.DueTo
	case known && all[i].Difference == comparator.Conflict:
		return first + "is in conflict"
	case known && all[i].Difference == comparator.Unreachable:
		return first + "is unreachable"
	}
	return first + "is not deleted"
}

// creates reports whether the decision creates a resource.
func (d *Decision) creates() bool { return d.Proposed == Create || d.Proposed == Replace }

// changesTo reports whether a change of the decision sets a reference to the ref.
func (d *Decision) changesTo(r resource.Ref) bool {
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return slices.Contains(resource.AppendRefs(nil, c.To), r)
	})
}

// waitsForID reports whether a change needs the ID of the ref, which is known after apply.
func (d *Decision) waitsForID(r resource.Ref) bool {
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return c.KnownAfterApply && slices.Contains(resource.AppendRefs(nil, c.To), r)
	})
}

// mustPrecede reports whether the decision must be done before x can delete its resource: it
// deletes a dependent of it, or removes the dependency.
func (d *Decision) mustPrecede(x *Decision) bool {
	return d.Proposed.Destroys() || !d.refersTo(x.Ref)
}
