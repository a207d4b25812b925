package cel

import (
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

// Effect is what a rule does to an action for which its condition is true.
type Effect string

// The effects. All but Warn block.
const (
	Deny            Effect = "deny"
	RequireApproval Effect = "require_approval"
	Defer           Effect = "defer"
	Warn            Effect = "warn"
)

// effects are in reading order.
func effects() []string {
	return []string{string(Deny), string(RequireApproval), string(Defer), string(Warn)}
}

// Rule is one rule as it is written.
type Rule = rules.Expression

// Finding is the result of one rule for one decision.
type Finding struct {
	Index     int // into the plan's decisions
	Rule      string
	Effect    Effect
	Message   string
	Until     *int64 // unix seconds; nil means none
	Approvers int
	Signed    bool              // only signed approvals count
	Failed    bool              // the rule could not be evaluated
	At        position.Position // where it failed
}
