package decider

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// Unreachable vetoes every action in a scope that was not seen. The comparator already concludes
// nothing there; this stands behind it. It also keeps what the stack wants by the same name in
// such a scope: a thing that moves is not deleted before its new place was seen, and a
// misspelt region is just such a place.
type Unreachable struct{}

// Name implements Policy.
func (Unreachable) Name() string { return "unseen" }

// Review implements Policy.
func (Unreachable) Review(p Plan, _ Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	if len(p.Unreachable) == 0 {
		return out, nil
	}
	moved := unreachableDesired(p.Decisions)
	for i := range p.Decisions {
		d := &p.Decisions[i]
		scope := d.Ref.Scope()
		if why, unreachable := p.Unreachable[scope]; unreachable {
			out[i] = Blocker{Reason: scope.String() + " was not seen, and nothing is done on doubt: " + why}
		} else if to, ok := moved[nameOf(d)]; ok && d.Proposed == Delete {
			out[i] = Blocker{Reason: "it is wanted in " + to.String() + " now, which was not seen: check that name, or make that place be seen"}
		}
	}
	return out, nil
}

// sameName is what stays of a thing that moves.
type sameName struct{ provider, stack, kind, name string }

func nameOf(d *Decision) sameName {
	return sameName{d.Ref.Provider, d.Stack, d.Ref.Kind, d.Ref.Name}
}

// unreachableDesired is what is wanted in scopes that were not seen, and where.
func unreachableDesired(all []Decision) map[sameName]resource.Scope {
	out := map[sameName]resource.Scope{}
	for i := range all {
		if all[i].Difference == comparator.Unreachable && all[i].Desired != nil {
			out[nameOf(&all[i])] = all[i].Ref.Scope()
		}
	}
	return out
}
