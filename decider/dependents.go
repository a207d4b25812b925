package decider

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

var errOutside = errors.New("it named decisions that are not in the plan")

// BlockedByDependency is the name under which a decision is vetoed because another one, which must go
// first, is held back.
const BlockedByDependency = "dependency"

// spreadBlocks spreads vetoes along the needs until nothing more follows. Each round can only add,
// and adds at most one veto to each decision, so it ends.
func spreadBlocks(all []Decision) {
	index := byRef(all)
	for changed := true; changed; {
		changed = false
		for i := range all {
			d := &all[i]
			if !d.Proposed.Executes() || len(d.Blockers) > 0 {
				continue
			}
			if v, held := blockedBy(d, all, index); held {
				d.Blockers = append(d.Blockers, v)
				changed = true
			}
		}
		for i := range all {
			changed = blocksDelete(&all[i], all, index) || changed
		}
	}
}

// blockedBy says what keeps a decision from making its thing, if anything does.
func blockedBy(d *Decision, all []Decision, index map[resource.Ref]int) (Blocker, bool) {
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
			return dependencyBlocker("it depends on %s, and %s is unreachable", short(r), r.Scope()), true
		case x.Difference == comparator.Conflict && (d.creates() || d.changesTo(r)):
			return dependencyBlocker("it depends on %s, which is in conflict", short(r)), true
		case len(x.Blockers) == 0:
		case x.Proposed == Create && d.creates(), d.waitsForID(r):
			return dependencyBlocker("it depends on %s, which is blocked by %s", short(r), x.Blockers[0].Policy), true
		}
	}
	return Blocker{}, false
}

// blocksDelete holds back what would be taken away from under a thing that stays.
func blocksDelete(d *Decision, all []Decision, index map[resource.Ref]int) (changed bool) {
	if len(d.Blockers) == 0 || d.Observed == nil {
		return false
	}
	for _, r := range d.DependsOn {
		x := &all[index[r]]
		if !x.Proposed.Destroys() || len(x.Blockers) > 0 || !d.mustPrecede(x) {
			continue
		}
		x.Blockers = append(x.Blockers, dependencyBlocker("%s depends on it and is blocked by %s", short(d.Ref), d.Blockers[0].Policy))
		changed = true
	}
	return changed
}

func dependencyBlocker(format string, args ...any) Blocker {
	return Blocker{Policy: BlockedByDependency, Reason: fmt.Sprintf(format, args...)}
}

// creates says that the decision makes a thing.
func (d *Decision) creates() bool { return d.Proposed == Create || d.Proposed == Replace }

// changesTo says that a change of the decision points to the ref.
func (d *Decision) changesTo(r resource.Ref) bool {
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return slices.Contains(resource.AppendRefs(nil, c.To), r)
	})
}

// waitsForID says that a change waits for the id of the ref.
func (d *Decision) waitsForID(r resource.Ref) bool {
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return c.KnownAfterApply && slices.Contains(resource.AppendRefs(nil, c.To), r)
	})
}

// mustPrecede says that the decision must be done before x can take its thing away: it takes
// away what stands on it, or moves it elsewhere.
func (d *Decision) mustPrecede(x *Decision) bool {
	return d.Proposed.Destroys() || !d.refersTo(x.Ref)
}
