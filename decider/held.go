package decider

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

var errOutside = errors.New("it spoke of decisions that are not in the plan")

// HeldBy is the name under which a decision is vetoed because another one, which must go
// first, is held back.
const HeldBy = "held-by"

// hold spreads vetoes along the needs until nothing more follows. Each round can only add,
// and adds at most one veto to each decision, so it ends.
func hold(all []Decision) {
	index := byRef(all)
	for changed := true; changed; {
		changed = false
		for i := range all {
			d := &all[i]
			if !d.Proposed.Executes() || len(d.Vetoes) > 0 {
				continue
			}
			if v, held := heldBy(d, all, index); held {
				d.Vetoes = append(d.Vetoes, v)
				changed = true
			}
		}
		for i := range all {
			changed = keepsStanding(&all[i], all, index) || changed
		}
	}
}

// heldBy says what keeps a decision from making its thing, if anything does.
func heldBy(d *Decision, all []Decision, index map[resource.Ref]int) (Veto, bool) {
	if d.Wanted == nil {
		return Veto{}, false
	}
	for _, r := range d.Wanted.Refs() {
		j, ok := index[r]
		if !ok {
			continue
		}
		x := &all[j]
		switch {
		case x.Difference == comparator.Unknown:
			return held("it needs %s, and %s was not seen", short(r), r.Scope()), true
		case x.Difference == comparator.Foreign && (d.builds() || d.changesTo(r)):
			return held("it needs %s, which belongs to somebody else", short(r)), true
		case len(x.Vetoes) == 0:
		case x.Proposed == Create && d.builds(), d.unsettledBy(r):
			return held("it needs %s, and that is held back by %s", short(r), x.Vetoes[0].Policy), true
		}
	}
	return Veto{}, false
}

// keepsStanding holds back what would be taken away from under a thing that stays.
func keepsStanding(d *Decision, all []Decision, index map[resource.Ref]int) (changed bool) {
	if len(d.Vetoes) == 0 || d.There == nil {
		return false
	}
	for _, r := range d.Needs {
		x := &all[index[r]]
		if !x.Proposed.Destroys() || len(x.Vetoes) > 0 || !d.releases(x) {
			continue
		}
		x.Vetoes = append(x.Vetoes, held("%s stands on it, and that is held back by %s", short(d.Ref), d.Vetoes[0].Policy))
		changed = true
	}
	return changed
}

func held(format string, args ...any) Veto {
	return Veto{Policy: HeldBy, Reason: fmt.Sprintf(format, args...)}
}

// builds says that the decision makes a thing.
func (d *Decision) builds() bool { return d.Proposed == Create || d.Proposed == Replace }

// changesTo says that a change of the decision points to the ref.
func (d *Decision) changesTo(r resource.Ref) bool {
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return slices.Contains(resource.AppendRefs(nil, c.To), r)
	})
}

// unsettledBy says that a change waits for the id of the ref.
func (d *Decision) unsettledBy(r resource.Ref) bool {
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return c.Unsettled && slices.Contains(resource.AppendRefs(nil, c.To), r)
	})
}

// releases says that the decision must be done before x can take its thing away: it takes
// away what stands on it, or moves it elsewhere.
func (d *Decision) releases(x *Decision) bool {
	return d.Proposed.Destroys() || !d.wishes(x.Ref)
}
