package decider

import (
	"github.com/ovi-project/ovi/resource"
)

// Blessed protects blessed resources from every action: delete, replace, restart and update.
// What is blessed is a fact of the record; a mark on the resource is not. Only an update that
// writes ovi's marks, and does nothing else, passes. A configuration that says blessed protects
// from being destroyed even before that is on record.
type Blessed struct{}

// Name implements Policy.
func (Blessed) Name() string { return "blessed" }

// Review implements Policy.
func (Blessed) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Observed == nil || d.Proposed == Update && onlyMarks(d.Changes) {
			continue
		}
		switch {
		case f.Blessed != nil && f.Blessed(d.Ref):
			out[i] = Blocker{Reason: "blessed resources are not changed", Suggestion: "run `ovi unbless " + short(d.Ref) + "` to allow it"}
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
