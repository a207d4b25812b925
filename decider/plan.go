package decider

import (
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// Action is what is to be done with a thing.
type Action string

// The six actions.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Restart Action = "restart" // an update that interrupts the thing
	Delete  Action = "delete"
	Notify  Action = "notify" // nothing is done; a human should know
)

// Destroys says that the action takes a thing away, if only for a while.
func (a Action) Destroys() bool { return a == Delete || a == Replace }

// Executes says that the action touches the provider.
func (a Action) Executes() bool { return a != Notify }

// Symbol is the sign people read in a plan.
func (a Action) Symbol() string {
	switch a {
	case Create:
		return "+"
	case Update:
		return "~"
	case Replace:
		return "-/+"
	case Restart:
		return "~"
	case Delete:
		return "-"
	default:
		return "!"
	}
}

// Reason says why an action was proposed.
type Reason string

// The reasons, one for each row of the rule table.
const (
	ReasonMissing     Reason = "missing"          // wanted and not there
	ReasonChanged     Reason = "changed"          // differs, can be changed in place
	ReasonRestart     Reason = "restarts"         // differs, changing it interrupts the thing
	ReasonImmutable   Reason = "immutable"        // differs in what can't be changed
	ReasonFollows     Reason = "follows_replaced" // what it is built on is replaced
	ReasonResumes     Reason = "resumes"          // a replacement was interrupted: the old one is left to delete
	ReasonReverts     Reason = "reverts"          // a replacement was interrupted: the new one is no good
	ReasonUnwanted    Reason = "unwanted"         // ours, and no longer wanted
	ReasonUnmanaged   Reason = "unmanaged"        // nobody's: reported only
	ReasonConflict    Reason = "conflict"         // somebody else's: adopt it or rename
	ReasonUnreachable Reason = "unreachable"      // its scope was not seen
)

// Blocker is a policy's no.
type Blocker struct {
	Policy     string     `json:"policy"` // "blessed", "skip_destructive", "max_destroy", "target"
	Reason     string     `json:"reason"` // why, in a few words
	Suggestion string     `json:"suggestion,omitempty"`
	Until      *time.Time `json:"until,omitempty"` // deferred until then
	// Approvers is how many different people must say yes to lift it; 0: no yes lifts it.
	Approvers int `json:"approvers,omitempty"`
}

// Warning is a policy's word that holds nothing back.
type Warning struct {
	Policy string `json:"policy"`
	Text   string `json:"text"`
}

// Decision is what is to be done with one thing, and why.
type Decision struct {
	Ref        resource.Ref
	Stack      string
	Difference comparator.DifferenceType
	Action     Action // what will be done: Proposed, or Notify where vetoed
	Proposed   Action
	Reason     Reason
	Message    string // the reason in words
	Suggestion string // what an operator can do about it
	Blockers   []Blocker
	Warnings   []Warning
	Changes    []resource.Change
	Desired    *resource.Desired
	Observed   *resource.Observed
	New        *resource.Observed // of a replacement under way: the new resource, if it exists
	Strategy   resource.Strategy  // of a replace
	Follows    resource.Ref       // why it is destroy-first although it need not be: that one is
	Origin     *Origin            // of what destroys: the record that allows it
	// DependsOn are the refs of this plan's other decisions whose making must be done before
	// this one's; for the taking away the order is the reverse. Steps spells it out.
	DependsOn []resource.Ref
}

// DeferredUntil says until when a decision is only deferred: nothing but time holds it back. The
// latest of several counts.
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

// Origin is the record that proves a resource to be created or adopted here.
type Origin struct {
	Record  uint64    `json:"record"` // its number in the audit log
	At      time.Time `json:"at"`
	Adopted bool      `json:"adopted,omitempty"`
}

// Plan is a value that exists before anything happens. Decisions are in the order people
// read: by level of need, then by ref.
type Plan struct {
	Decisions   []Decision
	Unchanged   int
	Unreachable map[resource.Scope]string // locations that were not read, and why
	// UnreachableKinds are kinds of other locations that were not read in full, and why.
	UnreachableKinds map[resource.Scope]map[string]string
	Owned            map[string]int
	NotVerified      []comparator.Unverified // resources that could not be compared in full
}

// Empty says that there is nothing to do: no decision executes and none was held back.
func (p Plan) Empty() bool {
	for _, d := range p.Decisions {
		if d.Action.Executes() || d.Proposed.Executes() {
			return false
		}
	}
	return true
}

// Facts is what policies may look at besides the plan. All of it comes in from outside: the
// decider has no clock and no memory.
type Facts struct {
	Now         time.Time
	Rules       map[string]resource.Rules // by stack
	Unreachable map[resource.Scope]error  // locations that were not read, and why
	// UnreachableKinds are kinds of other locations that were not read in full, and why.
	UnreachableKinds map[resource.Scope]map[string]error
	Blessed          func(resource.Ref) bool             // by the record; nil: nothing
	Attempts         func(resource.Ref) (Attempts, bool) // nil: nothing was tried
	// Approvals are the yeses on record to a plan of a Digest; nil: none. Those that have
	// expired by Now are left out.
	Approvals func(digest string) []Approval
	// Digest names the plan that an approval must be of; nil: the plan's own. A saved plan
	// that is done later is found again among what else is proposed by then.
	Digest func(Plan) string
	// Origin finds the record that proves a resource to be created or adopted here, or says
	// why nothing does. Nil: nothing can be proven, and nothing is destroyed.
	Origin func(*resource.Observed) (Origin, error)
	// Unread are resources on record of kinds and locations that could not be read, as they
	// were last observed.
	Unread []resource.Observed
	// History is what was done to a thing before, newest first; nil: nothing is known.
	History func(resource.Ref) []Past
}

// Approval is one person's yes to a plan.
type Approval struct {
	Who string
	At  time.Time
}

// Past is one event of a thing's history.
type Past struct {
	At      time.Time
	Event   string
	Action  string
	Outcome string
	Who     string
}

// Attempts is how often the same wish has failed in a row.
type Attempts struct {
	Desired  string // digest of the wish that failed
	Failures int
	Last     time.Time
	Error    string
}

// Policy looks at proposals and may veto some. It must be pure; the plan it gets is a copy,
// of which it must not change what is pointed to.
type Policy interface {
	Name() string
	// Review returns vetoes by index into the plan's decisions; vetoes of earlier policies
	// are already in them. A veto without a Policy gets the policy's name; one on a decision
	// that executes nothing is of no effect. An error vetoes everything that destroys.
	Review(p Plan, f Facts) (map[int]Blocker, error)
}

// Warner is a policy that also has something to say that holds nothing back.
type Warner interface {
	Policy
	// Warn returns warnings by index into the plan's decisions.
	Warn(p Plan, f Facts) map[int][]Warning
}
