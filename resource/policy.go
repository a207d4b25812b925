package resource

import "slices"

// Expression is a rule of a policy as configured: a condition in CEL over resource, desired,
// changes, decision, plan, now and history, and its effect on the actions that match.
type Expression struct {
	Name    string
	When    string // evaluates to a bool
	Effect  string // deny, require_approval, defer or warn
	Message string // shown to the user; empty: made from the name
	// Until evaluates to the timestamp until which a decision is deferred. Only for defer;
	// empty: until the next plan.
	Until string
	// Approvers is how many different operators must approve. Only for require_approval; 0 is 1.
	Approvers int
	// The positions of the rule, of When and of Until, for errors.
	At, WhenAt, UntilAt Position
}

// DriftRule ignores differences that are none: within a tolerance, in another order, or set by
// something else on purpose.
type DriftRule struct {
	Kind string // "": all
	Path string // a pattern as in an IgnoreRule
	// When is a condition in CEL over old (the observed value), new (the configured one) and
	// path. Empty: always.
	When       string
	At, WhenAt Position
}

// ApprovalRule requires operators to approve some actions on some kinds before they start.
type ApprovalRule struct {
	Actions   []string // empty: all that destroy
	Kinds     []string // empty: all
	Approvers int      // how many different operators; 0 is 1
}

// Covers reports whether the rule requires approval of an action on a kind.
func (a ApprovalRule) Covers(action, kind string) bool {
	if len(a.Kinds) > 0 && !slices.Contains(a.Kinds, kind) {
		return false
	}
	if len(a.Actions) > 0 {
		return slices.Contains(a.Actions, action)
	}
	return action == "delete" || action == "replace"
}
