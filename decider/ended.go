package decider

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// tellEnded calls a resource broken, and not unfinished, if its creation is recorded to have ended: the missing part
// existed then, and users may need the resource since.
func tellEnded(all []Decision, f Facts) {
	for i := range all {
		d := &all[i]
		if d.Observed == nil || d.Observed.Condition != resource.Unfinished || f.Ended == nil || !f.Ended(d.Ref) {
			continue
		}
		o := *d.Observed
		o.Condition = resource.Broken
		o.Message = strings.TrimPrefix(o.Message, "its creation stopped: ") + ", and its creation is recorded as done"
		d.Observed, d.Changes = &o, slices.Clone(d.Changes)
		for k := range d.Changes {
			if d.Changes[k].On == resource.OnCondition {
				d.Changes[k].From = resource.String(resource.Broken)
			}
		}
		if d.Reason == ReasonUnfinished {
			d.Action, d.Proposed, d.Reason = Notify, Notify, ReasonBroken
			d.Message = "it is broken: " + o.Message
		}
	}
}
