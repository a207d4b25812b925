package plan

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Planner makes plans.
type Planner struct{ *recovery.Recovery }

// Planning is a plan in the making. Its phases are Observe, Remember, Decide and Record, in this order.
type Planning struct {
	*Planned
	planner *Planner
	o       Options
	places  *located
	memory  *memory

	maxAge    time.Duration // see Options
	allKinds  bool
	filter    bool                             // unmanaged resources need not be listed, where that costs calls
	unready   map[resource.Ref]resource.Health // of what is observed as healthy, and is not in service
	following *following                       // nil: no stack asks for rollouts
	policies  map[string]string                // digests of the policies that reviewed it, see event.Planned
	// approving is, in a plan made from a saved one, the digest that approvals must be of.
	approving string
}

// newPlan returns an empty plan.
func (e *Planner) newPlan(mode event.Mode) *Planning {
	return &Planning{planner: e, Planned: &Planned{
		ID: ulid.Make().String(), Mode: mode, By: e.Ledger.User(), At: e.Now(), kinds: e.Providers.Kind,
	}}
}

// Begin starts a plan: it compiles the policies and resolves the locations.
func (e *Planner) Begin(ctx context.Context, intents []resource.Intent, o Options) (*Planning, error) {
	var err error
	if o.guards, err = Guards(intents, o.Rules); err != nil {
		return nil, err
	}
	p := e.newPlan(cmp.Or(o.Mode, event.ForPlan))
	p.By = cmp.Or(o.by, p.By)
	if err := e.require(ctx, p, intents, &o); err != nil {
		return nil, err
	}
	p.o, p.maxAge, p.allKinds, p.filter, p.SetUnverified = o, o.MaxAge, o.AllKinds, !o.AllKinds, o.SetUnverified
	if o.Destroy {
		intents = emptied(intents)
	}
	if p.places, err = e.locate(ctx, intents, o.MaxAge); err != nil {
		return nil, err
	}
	p.Intents = p.places.intents
	p.Stacks = StacksOf(p.Intents)
	return p, nil
}

// Observe makes the live state of the plan: it observes what is not recent enough on record, or takes the
// record of a past revision.
func (p *Planning) Observe(ctx context.Context) (err error) {
	if p.o.At != storage.Now {
		err = p.planner.asOf(ctx, p, p.o.At)
	} else {
		err = p.planner.observe(ctx, p)
	}
	return inPhase(event.PhaseObserve, err)
}

// Remember reads what is recorded besides live state.
func (p *Planning) Remember(ctx context.Context) (err error) {
	e := p.planner
	if p.memory, err = e.loadMemory(ctx, p.o.At); err != nil {
		return err
	}
	if err := p.memory.loadRollouts(ctx, e.Ledger.Reader(), p.Intents, p.o.At); err != nil {
		return err
	}
	p.memory.resets = p.o.SetUnverified
	if err := e.replacements(ctx, p, p.o.At); err != nil {
		return err
	}
	p.memory.unread, err = e.unread(ctx, p)
	return err
}

// Decide compares the configurations with live state and lets the policies review the proposals.
func (p *Planning) Decide(ctx context.Context) (err error) {
	if err := p.planner.decide(ctx, p); err != nil || p.Past {
		return err
	}
	p.Plan.Unlisted, err = p.planner.unlisted(ctx, p)
	return err
}

// Record records the plan, so that it can be explained later, and returns it.
func (p *Planning) Record(ctx context.Context) (*Planned, error) {
	e := p.planner
	if err := e.recordExhausted(ctx, p); err != nil {
		return nil, err
	}
	if err := e.recordWaves(ctx, p); err != nil {
		return nil, err
	}
	return p.Planned, e.recordPlan(ctx, p)
}

// emptied are configurations without their resources, in the same locations.
func emptied(intents []resource.Intent) []resource.Intent {
	out := slices.Clone(intents)
	for i := range out {
		scopes := slices.Clone(out[i].Scopes)
		for j := range out[i].Resources {
			scopes = append(scopes, out[i].Resources[j].Ref.Scope())
		}
		slices.SortFunc(scopes, resource.Scope.Compare)
		out[i].Scopes, out[i].Resources = slices.Compact(scopes), nil
	}
	return out
}
