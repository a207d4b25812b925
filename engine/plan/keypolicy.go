package plan

import (
	"errors"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// KeyPolicy is the name of the policy that blocks what only an unconfirmed key proves.
const KeyPolicy = "key"

// keyPolicy blocks each action that destroys or renames a resource which only a pinned key proves as created or
// adopted. The record of a rename has the own signature, which would confirm it.
type keyPolicy struct {
	confirmed func(resource.Ref, string) error
}

// Name implements decider.Policy.
func (keyPolicy) Name() string { return KeyPolicy }

// Review implements decider.Policy.
func (k keyPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		renamed := !d.Renamed.IsZero()
		if !d.Action.Destroys() && !renamed || d.Observed == nil || k.confirmed == nil {
			continue
		}
		ref := d.Ref
		if renamed {
			ref = d.Renamed
		}
		err := k.confirmed(ref, d.Observed.ID)
		var why *ledger.UnprovenError
		switch {
		case errors.As(err, &why) && why.Next != "":
			out[i] = decider.Blocker{Reason: why.Why, Suggestion: why.Next}
		case err != nil && why == nil:
			return nil, err
		}
	}
	return out, nil
}
