package loop

import "github.com/ovi-project/ovi/resource"

// AlertType is the type of an alert.
type AlertType string

// The types.
const (
	BlockedAlert          AlertType = "blocked"                // a policy blocks a decision, and not only until a time
	UnreachableAlert      AlertType = "unreachable"            // a scope or a kind could not be read for several cycles
	Unknown               AlertType = "unknown"                // the result of an action could not be observed
	ConflictAlert         AlertType = "conflict"               // a configured resource is not proven to be the stack's
	BrokenAlert           AlertType = "broken"                 // a part of a resource is missing; an operator must name it
	Pending               AlertType = "pending"                // a decision needs an apply
	SourceUnread          AlertType = "source_unread"          // the source cannot be read
	PolicyUnread          AlertType = "policy_unread"          // the rules for every stack cannot be read; the last apply
	ConfigurationMismatch AlertType = "configuration_mismatch" // the instances of a stack read different configurations
	Exhausted             AlertType = "exhausted"              // the attempts of a configuration are used up
	Stalled               AlertType = "stalled"                // transient errors last for too long
	FightAlert            AlertType = "fight"                  // something sets a value back that ovi sets
	Halted                AlertType = "halted"                 // a rollout starts no further resource
	KeyPinned             AlertType = "key_pinned"             // the key of another instance was pinned at its first use
	RosterRecovery        AlertType = "roster_recovery"        // a recovery of the roster was asked for
	Slow                  AlertType = "slow"                   // an action runs for more than twice the usual time
	Alarmed               AlertType = "alarm"                  // a provider found signs of an attack or a mistake
	StoreDiffers          AlertType = "store_differs"          // the store says what the audit log does not
)

// Alert is a condition that needs an operator.
type Alert struct {
	Type  AlertType
	Ref   resource.Ref // zero if it is not about one resource
	Scope resource.Scope
	// About is the second subject of the alert: for KeyPinned and RosterRecovery the key, for StoreDiffers the key of the
	// store, for Halted the kind and name, and for UnreachableAlert the kind, or empty for the whole scope.
	About string
	Text  string
}

// Key identifies an alert across cycles.
func (c Alert) Key() string {
	return string(c.Type) + " " + c.Ref.String() + " " + c.Scope.String() + " " + c.About
}
