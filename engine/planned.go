package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Planned is a plan with everything needed to show, save and apply it. It is not changed
// once made.
type Planned struct {
	ID           string // ULID
	Mode         event.Mode
	At           time.Time
	Revision     storage.Revision // of the record, before the plan looked at the world
	Hash         string           // of the decisions
	Stacks       []string
	Intents      []resource.Intent // of a loaded plan: none until Refresh
	Plan         decider.Plan
	Whole        decider.Plan      // of a look for drift: with what the config changed too
	Observations []Observation     // the scopes it rests on, sorted
	Recovered    []event.Recovered // open actions that this plan's look answered
	Counts       event.Counts
	Past         bool // against the world of Revision, not of now: only to look at

	blessed map[resource.Ref]bool // by the record
	// approving is what approvals had to be of, of a plan made from a saved one.
	approving string
	known     wal.Seq // the last record of the log that policies could see

	async    AsyncObserver
	allKinds bool
	bindings []resource.Binding // of the scopes that were read
	// replacing are the replacements on record that are under way.
	replacing map[resource.Ref]ledger.Replacement
	kinds     decider.Kinds
	live      resource.LiveState
	open      map[resource.Ref]ledger.OpenAction // still without an answer
	tries     map[resource.Ref]ledger.Tries
	base      map[resource.Ref]base // of a loaded plan: what its decisions rest on
}

// resourceAt finds what carries a ref with ovi's marks in the world the plan rests on.
func (p *Planned) resourceAt(ref resource.Ref) (*resource.Observed, bool) {
	objects := p.live.Scopes[ref.Scope()].Resources
	i, ok := slices.BinarySearchFunc(objects, ref, func(o resource.Observed, r resource.Ref) int { return o.Ref.Compare(r) })
	for ; ok && i < len(objects) && objects[i].Ref == ref; i++ {
		if objects[i].Managed() {
			return &objects[i], true
		}
	}
	return nil, false
}

// OpenActions are the actions whose result is still unknown.
func (p *Planned) OpenActions() map[resource.Ref]ledger.OpenAction { return p.open }

// keyOf is the recorded key of the creation or adoption of a resource; "" if there is none.
func (p *Planned) keyOf(ref resource.Ref, id string) string {
	for i := range p.bindings {
		if b := &p.bindings[i]; b.Ref == ref && b.ID == id {
			return b.Key
		}
	}
	return ""
}

// adopted tells, of resources of the plan, which were adopted and not created.
func (p *Planned) adopted() func(*resource.Observed) bool {
	ids := map[resource.Ref]string{}
	for i := range p.bindings {
		if b := &p.bindings[i]; b.Adopted && b.Live() {
			ids[b.Ref] = b.ID
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return func(o *resource.Observed) bool { return ids[o.Ref] == o.ID }
}

// rulesOf are the limits that the stacks set themselves.
func rulesOf(intents []resource.Intent) map[string]resource.Rules {
	out := map[string]resource.Rules{}
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
