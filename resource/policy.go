package resource

import "slices"

// Expression is a rule of a policy as it is written: a condition in CEL over resource,
// desired, changes, decision, plan, now and history, and what it does where it holds.
type Expression struct {
	Name    string
	When    string // must give a bool
	Effect  string // deny, require_approval, defer or warn
	Message string // a sentence for people; empty: one is made from the name
	// Until must give a timestamp: when a deferred decision may be looked at again. Only for
	// defer; empty: the next plan looks again.
	Until string
	// Approvers is how many different people must approve. Only for require_approval; 0 is 1.
	Approvers int
	// Where the rule, When and Until stand, for errors.
	At, WhenAt, UntilAt Position
}

// ApprovalRule asks for people's yes to some actions on some kinds before they are done.
type ApprovalRule struct {
	Actions   []string // empty: all that destroy
	Kinds     []string // empty: all
	Approvers int      // how many different people; 0 is 1
}

// Covers says that the rule asks for approval of an action on a kind.
func (a ApprovalRule) Covers(action, kind string) bool {
	if len(a.Kinds) > 0 && !slices.Contains(a.Kinds, kind) {
		return false
	}
	if len(a.Actions) > 0 {
		return slices.Contains(a.Actions, action)
	}
	return action == "delete" || action == "replace"
}
