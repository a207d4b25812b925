package engine

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Claim is a held claim; its token proves it.
type Claim = coordinator.Claim

// Claims give the right to act on a thing. coordinator.Claims is one.
type Claims interface {
	// Hold calls do while this instance alone may act on ref. do's context ends when the
	// claim is lost, and nobody else gets the claim before that. A *coordinator.HeldError
	// says who has it.
	Hold(ctx context.Context, ref string, do func(context.Context, Claim) error) error
	// Await returns nil when nobody has the claim on ref, if only for now.
	Await(ctx context.Context, ref string) error
	// List says which claims stand.
	List(ctx context.Context) ([]Claim, error)
	// Revoke ends the claim with this token; coordinator.ErrNotClaimed if it ended before.
	Revoke(ctx context.Context, ref string, token int64) (Claim, error)
}

// Config is what an engine is made of.
type Config struct {
	Providers provider.Set
	Ledger    *ledger.Ledger
	Claims    Claims
	Owner     string           // the owner mark on what is made; "": "ovi"
	Clock     func() time.Time // nil: time.Now
	// Digest makes the keyed digest of a secret that is put together from references. Nil: such
	// attributes are known only after apply.
	Digest func(plain string) resource.Digest
	// ObserveParallel and ObserveTimeout bound the looks; 0: the observer's defaults.
	ObserveParallel int
	ObserveTimeout  time.Duration
}

// PlanOptions say what a plan is for and what limits it. That blessed things are not touched
// and nothing is done where nothing was seen is not an option.
type PlanOptions struct {
	Mode            event.Mode // "": ForPlan
	Targets         []string   // patterns of refs, see decider.Names
	Excludes        []string
	SkipDestructive bool
	MaxDestroy      resource.Budget  // instead of the stacks' own limits
	BackOff         *decider.BackOff // for loops; nil: a human who tries again is not held up
	Policies        []decider.Policy // asked after the built-in ones
	Rules           resource.Rules   // hold for every stack, besides the stacks' own
	// MaxAge takes a scope that was seen completely within it from the record. 0: look at all.
	MaxAge time.Duration
	// At plans against the world as it was on record at a revision. Such a plan is not
	// recorded, and Apply refuses it. 0: now.
	At storage.Revision

	// Observe reads locations for a loop; nil: all are read and waited for.
	Observe AsyncObserver
	// Check asks the providers beforehand whether what the plan does would be refused, and warns.
	Check bool
	// AllKinds reads every kind of each location, as an inventory does; else a plan reads those
	// that are configured or on record.
	AllKinds bool

	guards []decider.Policy          // of the intents and of Rules, compiled
	digest func(decider.Plan) string // what approvals must be of; nil: the plan's own
}

func (o PlanOptions) mode() event.Mode {
	if o.Mode == "" {
		return event.ForPlan
	}
	return o.Mode
}

// policies lists everything that may veto, in the order it is asked. The limit of what may
// be destroyed stands behind those that hold single things back.
func (o PlanOptions) policies(kinds decider.Kinds, first ...decider.Policy) []decider.Policy {
	out := append(first,
		decider.Unreachable{Kinds: kinds}, decider.Proof{}, decider.Blessed{}, decider.Targets{Patterns: o.Targets}, decider.Excludes{Patterns: o.Excludes},
		decider.SkipDestructive{Everywhere: o.SkipDestructive})
	if o.BackOff != nil {
		out = append(out, *o.BackOff)
	}
	out = append(append(out, o.Policies...), o.guards...)
	return append(out, decider.MaxDestroy{Limit: o.MaxDestroy})
}

// ApplyOptions say how a plan is done. Zero fields are defaults.
type ApplyOptions struct {
	Parallelism int           // actions at once; 0: the intents' own, else 10
	Tries       int           // calls of one action for errors that pass; 0: 5
	Backoff     time.Duration // before the second call, doubled each time; 0: 500 ms
	// Hard is a context whose end stops calls in flight too: the second Ctrl-C. The end of
	// Apply's own context lets them finish and begins no more. nil: calls are never cut off.
	Hard context.Context
	// Approved, if set, is recorded before anything begins.
	Approved *event.Approved
}

// Observation is how a plan came to know a scope.
type Observation struct {
	Scope    resource.Scope
	At       time.Time // when what is known of it was seen
	Recorded bool      // taken from the record, not looked at now
	Count    int
	Err      error // not seen
}

// AsyncObserver reads locations for plans without letting a slow one delay the others.
type AsyncObserver interface {
	// Observe answers each request by what was read, or by an error while it is being read.
	Observe(ctx context.Context, requests []provider.ObserveRequest) resource.LiveState
	// TakeRecorded reports, once, that a location was recorded after a plan stopped waiting for it.
	TakeRecorded(s resource.Scope) bool
	// Assists reports that another instance leads: it reads what has open actions.
	Assists() bool
}
