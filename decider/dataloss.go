package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// lose sets the DataLoss of the destroying decisions. A resource is deleted by its configuration, or by the
// one that was applied last. A resource whose creation stopped loses nothing, because nothing uses it.
func lose(all []Decision, kinds Kinds, f Facts) {
	for i := range all {
		d := &all[i]
		switch {
		case d.Reason == ReasonBroken:
			d.Suggestion = fmt.Sprintf("repair it, or add --replace %s to destroy it and create it again", d.Ref.Short())
			if loss := lossOf(d, kinds, f); loss != "" {
				d.Suggestion += ", which loses " + loss
			}
		case d.Observed != nil && d.Proposed.Destroys() && d.Observed.Condition != resource.Unfinished:
			d.DataLoss = lossOf(d, kinds, f)
		}
	}
}

func lossOf(d *Decision, kinds Kinds, f Facts) string {
	kind, ok := kinds(d.Ref.Provider, d.Ref.Kind)
	if !ok || kind.DataLoss == nil {
		return ""
	}
	switch {
	case d.Desired != nil:
		return kind.DataLoss(*d.Observed, d.Desired.Attrs)
	case f.LastConfigured != nil:
		return kind.DataLoss(*d.Observed, f.LastConfigured(d.Ref))
	}
	return kind.DataLoss(*d.Observed, nil)
}
