package plan

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// Planned is a plan with everything needed to show, save and apply it. It does not change once made, except
// that a check of its actions adds warnings, and an adoption its own binding.
type Planned struct {
	ID       string // ULID
	Mode     event.Mode
	By       string // who made it
	At       time.Time
	Revision storage.Revision // of the store, before the plan observed
	Hash     string           // of the decisions
	Stacks   []string
	Intents  []resource.Intent // of a loaded plan: none until Refresh
	Plan     decider.Plan
	Whole    decider.Plan // of a drift plan: also with the changes of the configuration
	// Awaits are the resources that running applies work on and for whose end a decision waits.
	Awaits map[resource.Ref]bool
	// AwaitsOthers are the resources that other instances work on and for whose end a decision waits.
	AwaitsOthers map[resource.Ref]bool
	// Changed are the resources that only wait in a running apply and have another configuration now.
	Changed      map[resource.Ref]bool
	Flights      []Flight          // actions that run, and are left to those who started them, sorted
	Observations []Observation     // of the scopes it uses, sorted
	NotFound     []NotFound        // lookups without a result
	Repinned     []pins.Change     // lookups that found another resource than the last apply used
	Recovered    []event.Recovered // open actions that this plan recovered
	Given        []cmdline.Change  // variables that the command line sets, or set in the last apply
	Counts       event.Counts
	Already      []resource.Ref // of a plan made from a saved one: what that contains and is done already
	// Unsaved are outputs that changed since the plan was saved, by stack and name: an apply does not record them.
	Unsaved []outputs.Change
	// Unknown are the outputs whose values cannot be known. Their records stay.
	Unknown []outputs.Unknown
	// SetUnverified: what was not verified is set.
	SetUnverified bool
	Past          bool // of a past revision: it can be shown, and not applied

	Basis

	recordedPins map[resource.Ref]string // the IDs that the last apply used

	rollouts []follow.Rollout
	orders   []event.Ordered
	kinds    decider.Kinds
	applied  func(resource.Ref) (event.Applied, bool)
	base     map[resource.Ref]base // of a loaded plan
}

// Basis holds the facts that a plan rests on, as of its observation. An apply acts on them.
type Basis struct {
	Live     resource.LiveState
	Bindings []resource.Binding                 // of the scopes that were read
	Open     map[resource.Ref]ledger.OpenAction // still without a result
	Blessed  map[resource.Ref]bool              // as recorded
	Tries    map[resource.Ref]ledger.ResourceTries
	Checked  map[resource.Ref]error // what the providers answered to a check of the plan
	// Replacing holds the recorded replacements in progress. Used holds the replacements whose new resource
	// others refer to. Stays holds, for each replacement with two resources, the resource that stays.
	Replacing map[resource.Ref]ledger.Replacement
	Used      map[resource.Ref]bool
	Stays     map[resource.Ref]*resource.Observed
	// Outages are the things that were freed for resources which are not up.
	Outages map[resource.Ref][]rows.Outage
	// Approval has the approvals that count, and Resting the decisions that rules would block without.
	Approval *event.Approval
	Resting  map[resource.Ref]bool
}

// ResourceAt returns the proven resource of a ref in the plan's live state; during a replacement
// the one that stays if it ends as planned. The result points into the live state and must not be
// changed.
func (p *Planned) ResourceAt(ref resource.Ref) (*resource.Observed, bool) {
	if o, ok := p.Stays[ref]; ok {
		return o, true
	}
	all := p.Live.Scopes[ref.Scope()].Resources
	i, ok := slices.BinarySearchFunc(all, ref, func(o resource.Observed, r resource.Ref) int { return o.Ref.Compare(r) })
	for ; ok && i < len(all) && all[i].Ref == ref; i++ {
		if all[i].Managed() {
			return &all[i], true
		}
	}
	return nil, false
}

// LastConfigured returns the configuration of a resource that was applied last; false if none is recorded.
func (p *Planned) LastConfigured(ref resource.Ref) (resource.Attrs, bool) {
	if p.applied == nil {
		return nil, false
	}
	a, is := p.applied(ref)
	return a.Attrs, is
}

// OpenActions returns the actions whose result is still unknown.
func (p *Planned) OpenActions() map[resource.Ref]ledger.OpenAction { return p.Open }

// addBindings adds bindings, which are shared and not to be changed: a large scope has many.
func (p *Planned) addBindings(more []resource.Binding) {
	p.Bindings = recovery.Joined(p.Bindings, more)
}

// KeyOf returns the key recorded when a resource was created or adopted last; "" if there is none.
func (p *Planned) KeyOf(ref resource.Ref, id string) string {
	for i := len(p.Bindings) - 1; i >= 0; i-- { // an adoption in progress is the last one
		if b := &p.Bindings[i]; b.Ref == ref && b.ID == id {
			return b.Key
		}
	}
	return ""
}

// rulesOf returns the rules of each stack.
func rulesOf(intents []resource.Intent) map[string]rules.Rules {
	out := map[string]rules.Rules{}
	for _, i := range intents {
		out[i.Stack] = i.Rules
	}
	return out
}

// IDOf is the id of a resource that exists and is ours, as the plan observed it.
func (p *Planned) IDOf(ref resource.Ref) (string, bool) {
	if o, ok := p.ResourceAt(ref); ok {
		return o.ID, true
	}
	return "", false
}

// Rollouts returns the progress of the newest configurations whose updates are limited.
func (p *Planned) Rollouts() []follow.Rollout { return p.rollouts }

// Orders returns the recorded orders about new configurations of a stack.
func (p *Planned) Orders(stack string) []event.Ordered {
	return slices.DeleteFunc(slices.Clone(p.orders), func(o event.Ordered) bool { return o.Stack != stack })
}

// IsBlessed reports whether a resource was recorded as blessed when the plan was made.
func (p *Planned) IsBlessed(r resource.Ref) bool { return p.Blessed[r] }

// ConfiguredIn finds the configuration of a ref; nil if there is none.
func ConfiguredIn(intents []resource.Intent, ref resource.Ref) *resource.Desired {
	for _, in := range intents {
		for i := range in.Resources {
			if in.Resources[i].Ref == ref {
				return &in.Resources[i]
			}
		}
	}
	return nil
}
