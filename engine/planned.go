package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Planned is a plan with everything needed to show, save and apply it. It does not change once
// made.
type Planned struct {
	ID           string // ULID
	Mode         event.Mode
	By           string // who made it
	At           time.Time
	Revision     storage.Revision // of the store, before the plan observed
	Hash         string           // of the decisions
	Stacks       []string
	Intents      []resource.Intent // of a loaded plan: none until Refresh
	Plan         decider.Plan
	Whole        decider.Plan      // of a drift plan: also with the changes of the configuration
	Observations []Observation     // of the scopes it uses, sorted
	Recovered    []event.Recovered // open actions that this plan recovered
	Counts       event.Counts
	Already      []resource.Ref // of a plan made from a saved one: what that contains and is done already
	// SetUnverified: what was not verified is set.
	SetUnverified bool
	Past          bool // of a past revision: it can be shown, and not applied

	blessed map[resource.Ref]bool // as recorded
	// approving is, in a plan made from a saved one, the digest that approvals must be of.
	approving string
	// approval has the approvals that count, and resting the decisions that rules would block without.
	approval *event.Approval
	resting  map[resource.Ref]bool
	policies map[string]string // digests of the policies that reviewed it, see event.Planned
	known    wal.Seq           // the last record of the audit log that policies could read

	async    AsyncObserver
	starting Starting
	insides  insides // the scopes inside resources
	allKinds bool
	filter   bool               // unmanaged resources need not be listed, where that costs calls
	bindings []resource.Binding // of the scopes that were read
	// replacing are the recorded replacements in progress; used, those whose new resource others
	// refer to.
	replacing map[resource.Ref]ledger.Replacement
	used      map[resource.Ref]bool
	stays     map[resource.Ref]*resource.Observed // of replacements with two resources, the one that stays
	kinds     decider.Kinds
	live      resource.LiveState
	checked   map[resource.Ref]error             // what the providers answered to --check
	open      map[resource.Ref]ledger.OpenAction // still without a result
	tries     map[resource.Ref]ledger.ResourceTries
	unready   map[resource.Ref]resource.Health // of what is observed as healthy, and is not in service
	following *following                       // nil: no stack asks for rollouts
	base      map[resource.Ref]base            // of a loaded plan
}

// resourceAt returns the proven resource of a ref in the plan's live state; during a replacement the
// one that stays if it ends as planned.
func (p *Planned) resourceAt(ref resource.Ref) (*resource.Observed, bool) {
	if o, ok := p.stays[ref]; ok {
		return o, true
	}
	all := p.live.Scopes[ref.Scope()].Resources
	i, ok := slices.BinarySearchFunc(all, ref, func(o resource.Observed, r resource.Ref) int { return o.Ref.Compare(r) })
	for ; ok && i < len(all) && all[i].Ref == ref; i++ {
		if all[i].Managed() {
			return &all[i], true
		}
	}
	return nil, false
}

// OpenActions returns the actions whose result is still unknown.
func (p *Planned) OpenActions() map[resource.Ref]ledger.OpenAction { return p.open }

// addBindings adds bindings, which are shared and not to be changed: a large scope has many.
func (p *Planned) addBindings(more []resource.Binding) {
	p.bindings = joined(p.bindings, more)
}

// keyOf returns the key recorded when a resource was created or adopted last; "" if there is none.
func (p *Planned) keyOf(ref resource.Ref, id string) string {
	for i := len(p.bindings) - 1; i >= 0; i-- { // an adoption in progress is the last one
		if b := &p.bindings[i]; b.Ref == ref && b.ID == id {
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

func stacksOf(intents []resource.Intent) []string {
	var out []string
	for _, i := range intents {
		out = append(out, i.Stack)
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}

// IDOf is the id of a resource that exists and is ours, as the plan observed it.
func (p *Planned) IDOf(ref resource.Ref) (string, bool) {
	if o, ok := p.resourceAt(ref); ok {
		return o.ID, true
	}
	return "", false
}
