package rules

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource/position"
)

// Rules are the limits that a source sets. They only block actions.
type Rules struct {
	SkipDestructive bool
	// DestroyAuto: a loop that applies also deletes and replaces, without being told so.
	DestroyAuto bool
	MaxDestroy  Budget
	// Attempts is how many attempts of one configuration of a resource may fail before it is
	// blocked.
	Attempts    Attempts `json:",omitzero"`
	Ignore      []Ignore
	Windows     []Window   // actions that they cover start only while one is open
	Approvals   []Approval // actions that they cover need approval
	Expressions []Expression
	Drift       []Drift // differences that are no drift
	// UnreadMaxAge limits the time for which the resources of an unread source are created again. 0 means
	// DefaultUnreadMaxAge, and Unlimited means no limit.
	UnreadMaxAge time.Duration `json:",omitempty"`
	// Updates say how new configurations reach resources of one name, each name once.
	Updates []Update `json:",omitempty"`
	// More are the rules of the environment: both sets must allow an action.
	More *Rules `json:",omitempty"`
}

// DefaultUnreadMaxAge is the limit of rules that set none, and Unlimited stands for none.
const (
	DefaultUnreadMaxAge               = 7 * 24 * time.Hour
	Unlimited           time.Duration = -1
)

// Recreates reports whether what an unread source configures is created again, so long after it was read last.
func (r Rules) Recreates(age time.Duration) bool {
	return r.UnreadMaxAge == Unlimited || age <= cmp.Or(r.UnreadMaxAge, DefaultUnreadMaxAge)
}

// Attempts limits the attempts of one configuration, in total and by the cause of their failures.
type Attempts struct {
	Count         int `json:",omitempty"` // that fail and count; 0 means the default
	Configuration int `json:",omitempty"` // of these, failures that the configuration surely caused; 0 means Count
	Other         int `json:",omitempty"` // in a row that fail for other causes, which do not count; 0 means any number
}

// Digest identifies what the rules say, wherever they are written: SHA-256, in hex. Rules that say
// nothing have none.
func (r Rules) Digest() (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("rules: %w", err)
	}
	if empty, err := json.Marshal(Rules{}); err != nil || bytes.Equal(text, empty) {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Expression is a rule of a policy as configured: a condition in CEL over resource, desired,
// changes, decision, plan, now and history, and its effect on the actions that match.
type Expression struct {
	Name    string
	When    string // evaluates to a bool
	Effect  string // deny, require_approval, defer or warn
	Message string // shown to the user; empty means that it is made from the name
	// Until evaluates to the timestamp until which a decision is deferred. Only for defer;
	// empty means until the next plan.
	Until string
	// Approvers is how many different operators must approve. Only for require_approval; 0 is 1.
	Approvers int
	// Signed: only approvals count that a key on the roster signed, of others than who made the plan.
	// Only for require_approval.
	Signed bool `json:",omitempty"`
	// The positions of the rule, of When and of Until, for errors; they are not part of the rule.
	At      position.Position `json:"-"`
	WhenAt  position.Position `json:"-"`
	UntilAt position.Position `json:"-"`
}

// Drift ignores differences that are none: within a tolerance, in another order, or set by
// something else on purpose.
type Drift struct {
	Kind string // "" means all
	Path string // a pattern as in an Ignore
	// When is a condition in CEL over old (the observed value), new (the configured one) and
	// path. Empty means always.
	When   string
	At     position.Position `json:"-"`
	WhenAt position.Position `json:"-"`
}

// Approval requires operators to approve some actions on some kinds before they start.
type Approval struct {
	Actions   []string // empty means all that destroy
	Kinds     []string // empty means all
	Approvers int      // how many different operators; 0 is 1
	// Signed: only approvals count that a key on the roster signed, of others than who made the plan.
	Signed bool `json:",omitempty"`
}

// Covers reports whether the rule requires approval of an action on a kind.
func (a Approval) Covers(action, kind string) bool {
	if len(a.Kinds) > 0 && !slices.Contains(a.Kinds, kind) {
		return false
	}
	if len(a.Actions) > 0 {
		return slices.Contains(a.Actions, action)
	}
	return action == "delete" || action == "replace"
}
