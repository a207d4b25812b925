package decider

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// Blessed protects blessed things from every action: delete, replace, restart and update.
// A thing is blessed if it carries the mark, or the record says so. Only the update that puts
// the mark on, and does nothing else, passes. A wish to bless protects from what destroys
// even before the mark is on.
type Blessed struct{}

// Name implements Policy.
func (Blessed) Name() string { return "blessed" }

// Review implements Policy.
func (Blessed) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Observed == nil || d.Proposed == Update && onlyBlesses(d.Changes) {
			continue
		}
		switch {
		case d.Observed.Blessed || f.Blessed != nil && f.Blessed(d.Ref):
			out[i] = Blocker{Reason: "it is blessed, so it is not touched: ovi unbless " + d.Ref.String() + " to allow it"}
		case d.Desired != nil && d.Desired.Blessed && d.Proposed.Destroys():
			out[i] = Blocker{Reason: "it is wanted blessed, so it is not replaced: take blessed away from the wish to allow it"}
		}
	}
	return out, nil
}

func onlyBlesses(changes []resource.Change) bool {
	for _, c := range changes {
		if c.Path != comparator.BlessedPath {
			return false
		}
	}
	return len(changes) > 0
}
