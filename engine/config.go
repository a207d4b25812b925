package engine

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Claim is a held claim; its token proves it.
type Claim struct {
	Ref   string
	Token int64
}

// Claims give the right to act on a thing. The coordinator is one.
type Claims interface {
	// Hold calls do while this instance alone may act on ref. do's context ends when the
	// claim is lost; nobody else holds the claim before that.
	Hold(ctx context.Context, ref string, do func(context.Context, Claim) error) error
}

// Config is what an engine is made of.
type Config struct {
	Providers provider.Set
	Ledger    *ledger.Ledger
	Claims    Claims
	Owner     string           // the owner mark on what is made; "": "ovi"
	Clock     func() time.Time // nil: time.Now
	// ObserveParallel and ObserveTimeout bound the looks; 0: the observer's defaults.
	ObserveParallel int
	ObserveTimeout  time.Duration
}

// PlanOptions say what a plan is for and what limits it.
type PlanOptions struct {
	Mode            ledger.Mode // "": ForPlan
	Policies        []decider.Policy
	Targets         []string // refs, or patterns of them, in the spellings of decider's targets
	Excludes        []string
	SkipDestructive bool
	// MaxAge takes a scope that was seen completely within it from the record. 0: look at all.
	MaxAge time.Duration
}

// ApplyOptions say how a plan is done. Zero fields are defaults.
type ApplyOptions struct {
	Parallelism int           // actions at once; 0: the intents' own, else 10
	LockTimeout time.Duration // how long to wait for somebody else's claim; 0: not at all
	Tries       int           // calls of one action for transient errors; 0: 5
	Backoff     time.Duration // before the second call, doubled each time; 0: 500ms
	// Hard is a context whose end stops calls in flight too: the second Ctrl-C. The end of
	// Apply's own context lets them finish and begins no more. nil: calls are never cut off.
	Hard context.Context
	// Approved, if set, is recorded before anything begins.
	Approved *ledger.Approved
}

// Source of a fact used in a plan.
type Look struct {
	Scope    resource.Scope
	At       time.Time // when what is known of it was seen
	Recorded bool      // taken from the record, not looked at now
	Count    int
	Err      error // not seen
}
