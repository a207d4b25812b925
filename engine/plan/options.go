package plan

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// Options are the purpose and the limits of a plan. The protection of blessed resources and of unreachable
// locations cannot be turned off.
type Options struct {
	Mode            event.Mode // "": ForPlan
	Targets         []string   // patterns of refs, see decider.Names
	Excludes        []string
	SkipDestructive bool
	Destroy         bool             // plan as if the stacks configured no resource; their rules hold
	Prune           bool             // delete resources that are kept for their data
	SetUnverified   bool             // set each attribute that cannot be read back and was not recorded
	AllowReplace    []string         // names of resources that may lose data by a replacement
	Replace         []string         // like Targets: configured resources to replace though nothing requires it
	MaxDestroy      rules.Budget     // instead of the stacks' own limits
	BackOff         *decider.BackOff // for loops; if nil, an operator may retry at once
	Policies        []decider.Policy // reviewed after the built-in ones
	Rules           rules.Rules      // for every stack, besides its own
	// MaxAge uses the recorded state of scopes that were read in full within it. 0 means to observe all.
	MaxAge time.Duration
	// At plans against the recorded live state at a revision. Such a plan is not recorded, and Apply
	// refuses it. 0 means now.
	At storage.Revision

	// Observe reads locations for a loop. If nil, the plan reads all locations and waits for them.
	Observe AsyncObserver
	// Busy is what running applies of this process have not ended. The plan leaves it to them.
	Busy []Busy
	// Check asks the providers whether the planned actions would fail, and adds warnings.
	Check bool
	// Starting limits how long the plan waits for starting resources.
	Starting Starting
	// AllKinds reads every kind of each location in full, as an inventory does. Otherwise a plan reads
	// the kinds that are configured or recorded, and providers may omit what is surely unmanaged.
	AllKinds bool

	guards      []decider.Policy          // compiled from the intents and from Rules
	savedDigest string                    // the digest of the saved plan that is applied; "" means that none is
	by          string                    // who made the saved plan; "" means the user
	digest      func(decider.Plan) string // the digest that approvals must cover; nil means the plan's own
	approved    map[resource.Ref]string   // what the lookups found in the saved plan; nil means that none is applied
	// savedStackPins are the outputs of other stacks that the saved plan read.
	savedStackPins []outputs.Pin
}

// policies lists every policy in the order of their review. The first ones know of actions and rollouts in
// progress; then come the policies that always hold, the limits of this plan, the caller's own, and the
// configured ones. MaxDestroy is the last, so that decisions that another policy blocks do not count.
func (o Options) policies(kinds decider.Kinds, first ...decider.Policy) []decider.Policy {
	out := append(first,
		decider.Unreachable{Kinds: kinds}, decider.Proof{}, decider.Blessed{}, decider.Targets{Patterns: o.Targets},
		decider.Excludes{Patterns: o.Excludes},
		decider.SkipDestructive{Everywhere: o.SkipDestructive, Loop: o.BackOff != nil},
		decider.NamedReplace{Kinds: kinds, Allowed: o.AllowReplace})
	out = append(out, decider.RestartBudget{}, decider.Fights{}, decider.AttemptLimit{})
	if o.BackOff != nil {
		out = append(out, *o.BackOff)
	}
	out = append(append(out, o.Policies...), o.guards...)
	return append(out, decider.MaxDestroy{Limit: o.MaxDestroy})
}

// Observation tells how a plan knows a scope, and since when.
type Observation struct {
	Scope    resource.Scope
	Place    string    // what it is, as the provider describes it: "new host local"
	At       time.Time // when it was observed
	Recorded bool      // taken from the store, not read for this plan
	Count    int
	Err      error // it could not be read
}

// AsyncObserver reads locations for plans, so that a slow one does not delay the others.
type AsyncObserver interface {
	// Observe returns for each request what was read, or an error while the read is running.
	Observe(ctx context.Context, requests []provider.ObserveRequest) resource.LiveState
	// TakeRecorded returns, once, the kinds of a location that were recorded after a plan stopped waiting.
	TakeRecorded(s resource.Scope) []string
	// TakeReported reports, once, whether a location sent a report since it was read: then it is read
	// again, whatever the age of its record.
	TakeReported(s resource.Scope) bool
	// Assists reports whether another instance leads, which reads locations with open actions.
	Assists() bool
}

// Starting limits the wait of a plan for starting resources whose attributes others refer to, or whose inside
// it must read. The zero value does not wait.
type Starting struct {
	For time.Duration
	// Tell is called for each resource before the plan waits for it.
	Tell func(o resource.Observed)
}
