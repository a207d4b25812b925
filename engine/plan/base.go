package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/ovi-project/ovi/decider"
)

// base holds the values that must stay the same between saving and applying a decision.
type base struct {
	Action   decider.Action
	Desired  string // digest of the configuration
	Observed string // digest of the resource; "" if there is none
}

// baseOf returns the base of a decision.
func baseOf(d *decider.Decision, kinds decider.Kinds) base {
	b := base{Action: proposedAction(d), Desired: d.DesiredDigest()}
	if d.Observed == nil {
		return b
	}
	// Health and computed attributes do not count: a server that has become healthy has not changed.
	o := *d.Observed
	o.Health, o.Message = "", ""
	kind, _ := kinds(o.Ref.Provider, o.Ref.Kind)
	for _, a := range kind.Attrs {
		if a.Computed {
			o.Attrs = o.Attrs.Without(a.Name)
		}
	}
	sum := sha256.Sum256(o.AppendJSON(nil))
	b.Observed = hex.EncodeToString(sum[:])
	return b
}

// It returns the reason, for the operator who saved the plan, or an empty text. The first
// difference decides.
func (b base) differs(d *decider.Decision, kinds decider.Kinds) string {
	now := baseOf(d, kinds)
	switch {
	case b.Desired != now.Desired:
		return "its configuration has changed"
	case b.Observed == "" && now.Observed != "":
		return "it was created"
	case b.Observed != "" && now.Observed == "":
		return "it was deleted"
	case b.Observed != now.Observed:
		return "it has changed"
	case b.Action != d.Proposed:
		return fmt.Sprintf("its action has changed from %s to %s", b.Action, d.Proposed)
	}
	return ""
}

// proposedAction is the action that a saved plan may perform: its own, or the proposed one if it
// was blocked only until an approval or a time. Dependents that were blocked for that reason are
// decided again when the plan is applied.
func proposedAction(d *decider.Decision) decider.Action {
	for _, v := range d.Blockers {
		if v.Approvers == 0 && v.Until == nil && v.Policy != decider.BlockedByDependency {
			return d.Action
		}
	}
	return d.Proposed
}
