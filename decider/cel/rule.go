package cel

import "github.com/ovi-project/ovi/resource"

// Effect is what a rule that holds does to a decision.
type Effect string

// The effects. Warn alone holds nothing back.
const (
	Deny            Effect = "deny"
	RequireApproval Effect = "require_approval"
	Defer           Effect = "defer"
	Warn            Effect = "warn"
)

// effects in the order people should read them in an error.
func effects() []string {
	return []string{string(Deny), string(RequireApproval), string(Defer), string(Warn)}
}

// Rule is one rule as it is written.
type Rule = resource.Expression

// Finding is what one rule says of one decision.
type Finding struct {
	Index     int // into the plan's decisions
	Rule      string
	Effect    Effect
	Message   string
	Until     *int64 // unix seconds; nil: not said
	Approvers int
	Failed    bool              // the rule could not be evaluated
	At        resource.Position // where it failed
}
