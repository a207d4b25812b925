package decider

import "slices"

// stays reports whether a resource that its stack no longer configures goes on to exist: it is kept, forgotten, or
// given to another stack.
func (d *Decision) stays() bool {
	return d.Reason == ReasonKept || d.Proposed == Forget || d.OnlyRenames() && d.Renamed.Stack != d.Ref.Stack
}

// blockUnderStaying blocks deleting what a resource depends on that stays.
func blockUnderStaying(all []Decision, kinds Kinds, f Facts) {
	for i := range all {
		d := &all[i]
		if !d.stays() || d.Observed == nil {
			continue
		}
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		for j := range all {
			x := &all[j]
			if x.Proposed != Delete || x.Observed == nil || len(x.Blockers) > 0 {
				continue
			}
			if f.LastDependsOn != nil && slices.Contains(f.LastDependsOn(d.Ref), x.Ref) ||
				Refers(d.Observed, k.Attrs, x.Observed) {
				x.Blockers = append(x.Blockers, dependencyBlocker(d.Ref, "%s depends on it, and is not deleted", d.Ref.Short()))
			}
		}
	}
}
