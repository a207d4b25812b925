package decider

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
	"github.com/ovi-project/ovi/resource/rules"
)

// Action is an action on a resource.
type Action string

// The seven actions.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Revert  Action = "revert"  // a replacement goes back: what it created is deleted, the old resource restored
	Restart Action = "restart" // an update that restarts the resource
	Delete  Action = "delete"
	Forget  Action = "forget" // only the record changes: ovi no longer manages the resource, which stays
	Notify  Action = "notify" // nothing is done; the user is informed
)

// Destroys reports whether the action deletes a resource. A revert deletes only what its
// replacement created.
func (a Action) Destroys() bool { return a == Delete || a == Replace }

// Executes reports whether the action changes something: the resource, or the record of it.
func (a Action) Executes() bool { return a != Notify }

// Symbol is the action's sign in a plan.
func (a Action) Symbol() string {
	switch a {
	case Create:
		return "+"
	case Update, Revert:
		return "~"
	case Replace:
		return "-/+"
	case Restart:
		return "~"
	case Delete, Forget:
		return "-"
	default:
		return "!"
	}
}

// Reason is the reason for a proposed action.
type Reason string

// The reasons, one for each row of the rule table.
const (
	ReasonMissing     Reason = "missing"          // configured and does not exist
	ReasonDeleted     Reason = "deleted_outside"  // configured, and deleted outside ovi
	ReasonChanged     Reason = "changed"          // differs, can be changed in place
	ReasonRestart     Reason = "restarts"         // differs, changing it restarts the resource
	ReasonState       Reason = "state"            // it does not run, or does not stop, as configured
	ReasonImmutable   Reason = "immutable"        // differs in an immutable attribute
	ReasonRequested   Reason = "requested"        // an operator asked to replace it, with --replace
	ReasonBroken      Reason = "broken"           // a part of it is missing: an operator must name it to replace it
	ReasonFailing     Reason = "failing"          // it fails, and no action of ovi ends that
	ReasonUnfinished  Reason = "unfinished"       // its creation stopped, and nothing uses it
	ReasonFollows     Reason = "follows_replaced" // a resource that it depends on is replaced
	ReasonResumes     Reason = "resumes"          // a replacement in progress is finished
	ReasonReverts     Reason = "reverts"          // a replacement in progress goes back
	ReasonRenamed     Reason = "renamed"          // only its name in the configuration differs
	ReasonExchanged   Reason = "exchanged"        // it and other resources need each other's exclusive things
	ReasonBack        Reason = "back"             // a newer configuration failed: it returns to its last good one
	ReasonUnwanted    Reason = "unwanted"         // owned by the stack and no longer configured
	ReasonDestroyed   Reason = "destroyed"        // owned by a stack that is destroyed
	ReasonRemoved     Reason = "removed"          // no longer configured, and the configuration says that it stays
	ReasonKept        Reason = "kept"             // no longer configured, and kept for its data or for another stack
	ReasonUnmanaged   Reason = "unmanaged"        // reported only
	ReasonConflict    Reason = "conflict"         // configured, but not proven to be the stack's
	ReasonUnreachable Reason = "unreachable"      // it could not be read
)

// Blocker is the reason why a policy prevents an action.
type Blocker struct {
	Policy     string     `json:"policy"` // "blessed", "skip_destructive", "max_destroy", "target"
	Reason     string     `json:"reason"` // why, in a few words
	Suggestion string     `json:"suggestion,omitempty"`
	Until      *time.Time `json:"until,omitempty"`  // deferred until then
	Awaits     string     `json:"awaits,omitempty"` // deferred until that is so: "wave 2 of 3"
	DueTo      string     `json:"due_to,omitempty"` // of a dependency: the policy that blocks the first of its chain
	// First is the first resource in the chain of a dependency, or the one whose action in flight is awaited. The
	// others wait for it.
	First resource.Ref `json:"first,omitzero"`
	// Approvers is how many different operators must approve to lift it; 0: no approval does.
	Approvers int `json:"approvers,omitempty"`
	// Signed: only approvals that keys on the roster signed lift it.
	Signed bool `json:"signed,omitempty"`
}

// Warning is a policy's message that does not block an action.
type Warning struct {
	Policy string `json:"policy"`
	Text   string `json:"text"`
}

// Decision is the proposed action for one resource, with its reason.
type Decision struct {
	Ref        resource.Ref // its stack configures or owns it, or is named by its marks
	Difference comparator.DifferenceType
	Action     Action // Proposed, or Notify if it is blocked
	Proposed   Action
	Reason     Reason
	Message    string // the reason in words
	Suggestion string // what an operator can do about it
	Blockers   []Blocker
	Warnings   []Warning
	Changes    []resource.Change
	Desired    *resource.Desired
	Observed   *resource.Observed
	New        *resource.Observed // in a replacement in progress: the new resource, if both exist
	Strategy   resource.Strategy  // of a replace or revert
	Steps      []replace.Step     // of a replace or revert: what is left to do, in order
	Follows    resource.Ref       // of a replace that is destroy-first only because this resource's is
	Origin     *Origin            // of a destroying action: the record that proves the resource
	Renamed    resource.Ref       // its recorded name, if that is another one: an apply first records the new name
	Takes      []comparator.Take  // exclusive things that it needs and that other resources have
	After      []resource.Ref     // the renames that free its name: they are recorded before anything is done
	DataLoss   string             // of a destroying action: the data that it loses; "" is none
	Turn       *Turn              // among those of its count; nil means that it waits for none of them
	Alike      resource.Ref       // of a create with secrets: the first resource of its block with equal secrets
	// DependsOn are the refs of other decisions of this plan that must create before this one
	// does; deletes run in the reverse order. See Steps.
	DependsOn []resource.Ref
}

// OnlyRenames reports whether the decision changes nothing but the name of a resource: the record, and marks.
func (d *Decision) OnlyRenames() bool { return d.Proposed == Update && d.Reason == ReasonRenamed }

// TakesRoom reports whether other resources give something up for the decision.
func (d *Decision) TakesRoom() bool {
	return slices.ContainsFunc(d.Takes, func(t comparator.Take) bool { return t.Leaves })
}

// vacates lists the resources that must give something up before this decision takes it.
func (d *Decision) vacates() (out []resource.Ref) {
	for _, t := range d.Takes {
		if t.Leaves && !slices.Contains(out, t.By) {
			out = append(out, t.By)
		}
	}
	return out
}

// DeferredUntil returns the time until which a decision is deferred, the latest of several; false
// if it is not blocked, or not only until a time.
func (d *Decision) DeferredUntil() (until time.Time, waits bool) {
	for _, v := range d.Blockers {
		if v.Until == nil {
			return time.Time{}, false
		}
		if v.Until.After(until) {
			until = *v.Until
		}
	}
	return until, len(d.Blockers) > 0 && !d.Action.Executes()
}

// Stopped reports whether a policy blocks the decision, and not only until a time.
func (d *Decision) Stopped(by Policy) bool {
	return slices.ContainsFunc(d.Blockers, func(b Blocker) bool { return b.Policy == by.Name() && b.Until == nil })
}

// Origin is the record that proves a resource to be created or adopted here.
type Origin struct {
	Record  uint64    `json:"record"` // its number in the audit log
	At      time.Time `json:"at"`
	Adopted bool      `json:"adopted,omitempty"`
	// Instance is whose audit log that is; empty: that of the instance that plans.
	Instance string `json:"instance,omitempty"`
}

// Plan is the set of actions of an apply. Decisions are sorted by dependency level, then by ref.
type Plan struct {
	Decisions   []Decision
	Unchanged   int
	Unreachable map[resource.Scope]string // locations that were not read, and why
	// Offline are those of Unreachable that report by themselves, and since when they did not; zero:
	// they never did. That is not a failure.
	Offline map[resource.Scope]time.Time
	// InFlight has the unreachable locations that are read after the end of a running action. That is not a failure.
	InFlight map[resource.Scope]bool
	// UnreachableKinds are kinds of other locations that were not read in full, and why.
	UnreachableKinds map[resource.Scope]map[string]string
	Owned            map[string]int
	NotVerified      []comparator.Unverified // resources that could not be compared in full
	Kept             []comparator.Kept       // attributes that stay although they are not as configured
	Renames          []comparator.Rename     // recorded resources that have another name in the configuration
	Unlisted         int                     // unmanaged resources on record, of kinds that were not read for this plan
	Pins             []pins.Pin              // the resources of others that the configuration refers to, sorted
	StackPins        []outputs.Pin           // the outputs of other stacks that the configuration refers to, sorted
	Outputs          []outputs.Change        // outputs of the stacks that differ from the record, sorted
}

// Empty reports whether there is nothing to do: no decision executes, none is blocked, and no output changes.
func (p Plan) Empty() bool {
	if len(p.Outputs) > 0 {
		return false
	}
	for _, d := range p.Decisions {
		if d.Action.Executes() || d.Proposed.Executes() {
			return false
		}
	}
	return true
}

// Unread reports whether anything could not be read that is not offline.
func (p Plan) Unread() bool {
	for s := range p.Unreachable {
		if _, offline := p.Offline[s]; !offline && !p.InFlight[s] {
			return true
		}
	}
	return len(p.UnreachableKinds) > 0 || slices.ContainsFunc(p.Decisions, func(d Decision) bool {
		_, offline := p.Offline[d.Ref.Scope()]
		return d.Difference == comparator.Unreachable && !offline && !p.InFlight[d.Ref.Scope()]
	})
}

// Facts is the input of policies besides the plan. The caller provides all of it: the decider has no clock
// and no store.
type Facts struct {
	Now         time.Time
	Destroy     bool                     // the stacks are destroyed: what is not configured may well be
	Prune       bool                     // delete what is kept for its data
	Rules       map[string]rules.Rules   // by stack
	Unreachable map[resource.Scope]error // locations that were not read, and why
	Live        map[resource.Scope]resource.Snapshot
	// Sets are the resources of each set, as SetsOf lists them.
	Sets map[resource.Ref][]resource.Ref
	// Absent returns why a resource is no longer configured; "" means that no block tells. Nil means always "".
	Absent func(resource.Ref) string
	// UnreachableKinds are kinds of other locations that were not read in full, and why.
	UnreachableKinds map[resource.Scope]map[string]error
	Blessed          func(resource.Ref) bool // as recorded; nil means that none is
	// Called returns the name by which commands find a recorded resource; nil means KIND/NAME.
	Called func(resource.Ref) string
	// LastConfigured is the configuration that was applied last; nil means that none is known.
	LastConfigured func(resource.Ref) resource.Attrs
	// Ended reports whether the last action on a resource is recorded to have ended well: nothing failed since, and no
	// observation took the place of its end. Nil means that none did.
	Ended func(resource.Ref) bool
	// LastDependsOn are the resources that it depends on; nil means that none are known.
	LastDependsOn func(resource.Ref) []resource.Ref
	Attempts      func(ref resource.Ref, desired string) (Attempts, bool) // of a configuration; nil means none
	Restarts      func(resource.Ref) (Restarts, bool)                     // nil means that there were none
	// Fight returns the value that a decision would set once more, with the number of times that it was set back.
	Fight func(*Decision) (Fight, bool)
	// Approvals are the recorded approvals of a plan by its Digest, without those that have
	// expired by Now; nil means that there are none.
	Approvals func(digest string) []Approval
	// Requester made the plan; their signed approval does not count where a rule demands signed ones.
	Requester string
	// Digest returns the digest that an approval must be of; nil means the plan's own. For a saved
	// plan it is the digest of its part in the plan of now.
	Digest func(Plan) string
	// SavedDigest is the Digest of the saved plan that is applied; "" means that no saved plan is.
	SavedDigest string
	// Origin returns the record that proves a resource to be created or adopted here, or the
	// reason why there is none. Nil: nothing can be proven, so nothing is destroyed.
	Origin func(*resource.Observed) (Origin, error)
	// Health is the health of a managed resource as observed, false where there is none; one that is
	// stopped as configured is healthy. Nil: all are healthy.
	Health func(resource.Ref) (resource.Health, bool)
	// Follows says why resources follow another configuration than the one that is loaded.
	Follows map[resource.Ref]Follows
	// Deleted are the IDs of configured resources that the audit log proves and that do not exist.
	Deleted map[resource.Ref]string
	// Destroying is the number of resources of each stack that running applies destroy: they count in its limit.
	Destroying map[string]int
	// Exchanged are the replacements that Exchanges requested.
	Exchanged map[resource.Ref]bool
	// Pins are the resources of others that the configuration refers to, sorted.
	Pins []pins.Pin
	// StackPins are the outputs of other stacks that the configuration refers to, sorted.
	StackPins []outputs.Pin
	// Unread are recorded resources of kinds and locations that could not be read, as last
	// observed.
	Unread []resource.Observed
	// History lists past events of a resource, newest first; nil means that none is known.
	History func(resource.Ref) []Past
}

// Follows is the reason why a resource follows its last good configuration: Back because a newer one
// failed, otherwise because its turn has not come.
type Follows struct {
	Back bool
	Why  string // in a few words
}

// Approval is one operator's approval of a plan.
type Approval struct {
	Who  string
	At   time.Time
	Used bool // by another plan: it does not count
	// Signed: a key on the roster signed it that belongs to Who.
	Signed bool
}

// Past is one event in a resource's history.
type Past struct {
	At      time.Time
	Event   string
	Action  string
	Outcome string
	Who     string
}

// Policy reviews proposals and may block some. It must be pure. The plan it gets is a copy; it
// must not change what the copy points to.
type Policy interface {
	Name() string
	// Review returns Blockers by index into the plan's decisions, which already hold the Blockers of
	// earlier policies. A Blocker without a Policy gets this policy's name; one on a decision that executes
	// nothing has no effect. An error blocks every destroying action. The plan is a copy that the next policy
	// reads, too: a policy keeps nothing of it.
	Review(p Plan, f Facts) (map[int]Blocker, error)
}

// Warner is a policy that also returns warnings.
type Warner interface {
	Policy
	// Warn returns warnings by index into the plan's decisions.
	Warn(p Plan, f Facts) map[int][]Warning
}
