package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// SkipDestructive vetoes what destroys: in the stacks whose rules ask for it, or Everywhere.
type SkipDestructive struct{ Everywhere bool }

// Name implements Policy.
func (SkipDestructive) Name() string { return "skip-destructive" }

// Review implements Policy.
func (s SkipDestructive) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Proposed.Destroys() && (s.Everywhere || f.Rules[d.Stack].SkipDestructive) {
			out[i] = Blocker{Reason: "what destroys is switched off: leave skip_destructive out to allow it"}
		}
	}
	return out, nil
}

// MaxDestroy limits how many things of a stack one plan may destroy. If more would be, none
// is: half of an accident is one too. Limit, if set, stands for the limits of all stacks.
type MaxDestroy struct{ Limit resource.Budget }

// Name implements Policy.
func (MaxDestroy) Name() string { return "max-destroy" }

// Review implements Policy. What earlier policies held back does not count.
func (m MaxDestroy) Review(p Plan, f Facts) (map[int]Blocker, error) {
	doomed := map[string][]int{}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Proposed.Destroys() && len(d.Blockers) == 0 {
			doomed[d.Stack] = append(doomed[d.Stack], i)
		}
	}
	out := map[int]Blocker{}
	for stack, indices := range doomed {
		limit := m.Limit
		if !limit.Set {
			limit = f.Rules[stack].MaxDestroy
		}
		if limit.Allows(len(indices), p.Owned[stack]) {
			continue
		}
		be := "are"
		if fmt.Sprint(limit) == "1" {
			be = "is"
		}
		reason := fmt.Sprintf("%d of the %d things of stack %s would be destroyed, and %s %s allowed: raise max_destroy, or target fewer",
			len(indices), p.Owned[stack], stack, limit, be)
		for _, i := range indices {
			out[i] = Blocker{Reason: reason}
		}
	}
	return out, nil
}
