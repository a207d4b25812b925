package decider

import (
	"github.com/ovi-project/ovi/resource"
)

// Blessed blocks every action on a blessed resource: delete, replace, restart and update. The
// audit log decides what is blessed, not the mark on the resource. Only an update that writes
// nothing but marks passes, and a rename. blessed: true in the configuration protects from being destroyed even
// before it is recorded.
type Blessed struct{}

// Name implements Policy.
func (Blessed) Name() string { return "blessed" }

// Review implements Policy.
func (Blessed) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Observed == nil || d.OnlyRenames() || d.Proposed == Update && onlyMarks(d.Changes) {
			continue
		}
		switch {
		case f.Blessed != nil && f.Blessed(d.Ref):
			next := "run `ovi unbless " + f.called(d.Ref) + "` to allow it"
			if d.Desired != nil && d.Desired.Blessed {
				next = "remove blessed: true from the configuration, and " + next
			}
			out[i] = Blocker{Reason: "blessed resources are not changed", Suggestion: next}
		case d.Desired != nil && d.Desired.Blessed && d.Proposed.Destroys():
			out[i] = Blocker{Reason: "the configuration says blessed: true", Suggestion: "remove blessed: true to allow it"}
		}
	}
	return out, nil
}

func onlyMarks(changes []resource.Change) bool {
	for _, c := range changes {
		if c.On != resource.OnMark {
			return false
		}
	}
	return len(changes) > 0
}
