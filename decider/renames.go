package decider

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// linkRenames lets a decision wait until the record has given its name away: the resource that has the name so far
// is recorded under another one first. Decisions that would wait for each other are blocked.
func linkRenames(all []Decision, f Facts) {
	to := map[resource.Ref]int{}
	for i := range all {
		if d := &all[i]; !d.Renamed.IsZero() && d.Proposed.Executes() {
			to[d.Renamed] = i
		}
	}
	if len(to) == 0 {
		return
	}
	linked := false
	for i := range all {
		d := &all[i]
		if j, is := to[d.Ref]; is && j != i && d.Proposed.Executes() {
			d.After, linked = []resource.Ref{all[j].Ref}, true
		}
	}
	if !linked || !cyclic(all) {
		return
	}
	index := byRef(all)
	for i := range all {
		d := &all[i]
		for _, r := range d.After {
			for _, x := range []*Decision{d, &all[index[r]]} {
				x.Blockers = append(x.Blockers, Blocker{
					Policy: BlockedByTaken, Reason: fmt.Sprintf("%s is renamed to %s, and they depend on each other",
						d.Ref.Short(), r.Short()),
					Suggestion: fmt.Sprintf("run `ovi move %s %s` first", f.called(d.Ref), f.called(r)),
				})
			}
		}
		d.After = nil
	}
}
