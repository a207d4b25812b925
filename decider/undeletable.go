package decider

import "github.com/ovi-project/ovi/resource"

// BlockedByProtection is the Policy of a Blocker for a destroying decision that the system is known to refuse, because
// an attribute of the resource protects it.
const BlockedByProtection = "protection"

// blockUndeletable blocks destroying what the system is known to keep: the plan would destroy and create others around
// it before the system refuses.
func blockUndeletable(all []Decision, kinds Kinds, f Facts) {
	for i := range all {
		d := &all[i]
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		if k.Undeletable == nil || d.Observed == nil || !d.Proposed.Destroys() {
			continue
		}
		var applied resource.Attrs
		if f.LastConfigured != nil {
			applied = f.LastConfigured(d.Ref)
		}
		last := applied
		if d.Desired != nil {
			last = d.Desired.Attrs
		}
		if why, first := k.Undeletable(*d.Observed, applied, last); why != "" {
			d.Blockers = append(d.Blockers, Blocker{Policy: BlockedByProtection, Reason: why, Suggestion: first})
		}
	}
}
