package decider

import (
	"github.com/ovi-project/ovi/comparator"
)

// keepPolicy is the Policy of the blocker of a replace that would lose kept data.
const keepPolicy = "keep_data"

// keep leaves resources of kinds that keep their data: one that is no longer configured is not deleted,
// unless the plan prunes, and none is replaced. A resource that would lose no data is not kept.
func keep(all []Decision, kinds Kinds, f Facts) {
	for i := range all {
		d := &all[i]
		if d.DataLoss == "" {
			continue
		}
		switch k, _ := kinds(d.Ref.Provider, d.Ref.Kind); {
		case !k.Keeps:
		case d.Proposed == Delete && d.Difference == comparator.Unwanted && !f.Prune:
			d.Action, d.Proposed, d.Reason = Notify, Notify, ReasonKept
			d.Message, d.Suggestion, d.DataLoss = "it is no longer configured; its data is kept",
				"run with --prune-data to delete it", ""
		case d.Proposed == Replace:
			d.Blockers = append(d.Blockers, Blocker{
				Policy: keepPolicy, Reason: "it is never replaced, because that would lose its data",
				Suggestion: "undo the change, or configure another " + d.Ref.Kind + " and move the data",
			})
		}
	}
}
