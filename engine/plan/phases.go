package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/accepted"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/plan/locate"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/storage"
)

// Begin starts a plan: it compiles the policies and resolves the locations. Policies that the store
// requires are added to the caller's.
func (e *Planner) Begin(ctx context.Context, intents []resource.Intent, o Options) (*Planning, error) {
	intents, err := accepted.Restore(ctx, e.Ledger.Reader(), intents, e.Now(), e.Reveal)
	if err != nil {
		return nil, err
	}
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
	if p.places, err = e.Locate(ctx, intents, o.MaxAge); err != nil {
		return nil, err
	}
	p.Intents = p.places.Intents
	accepted.Unique(p.Intents)
	if err := accepted.Complete(ctx, e.Ledger.Reader(), p.Intents, e.Reveal); err != nil {
		return nil, err
	}
	p.Stacks = locate.StacksOf(p.Intents)
	if err := p.readGiven(ctx); err != nil {
		return nil, err
	}
	// Only a plan that is applied and a loop accept configurations. They are recorded, with their resolved locations, so
	// that they can be restored while their sources cannot be read.
	looped := o.Observe != nil && !o.Observe.Assists()
	if o.At != storage.Now || o.Destroy || len(p.places.Failed) > 0 || p.Mode != event.ForApply && !looped {
		return p, nil
	}
	p.accepted, err = accepted.Events(ctx, e.Ledger.Reader(), p.Intents)
	return p, err
}

// readGiven compares the values that the command line sets with the values that it set in the last apply. The values of
// a loop do not change.
func (p *Planning) readGiven(ctx context.Context) error {
	if p.o.Destroy || p.o.Observe != nil || p.o.At != storage.Now {
		return nil
	}
	for i := range p.Intents {
		in := &p.Intents[i]
		if in.Unread != "" {
			continue
		}
		was, err := query.LastGiven(ctx, p.planner.Ledger.Reader(), in.Stack)
		if err != nil {
			return fmt.Errorf("read the values of the last apply of stack %s: %w", in.Stack, err)
		}
		p.Given = append(p.Given, cmdline.Changes(in.Stack, in.Given, was)...)
	}
	return nil
}

// ObserveLive makes the live state of the plan: it observes the scopes whose records are too old,
// or takes the record of a past revision. Scopes that cannot be read are part of the live state; an
// error means that the store or the recording failed.
func (p *Planning) ObserveLive(ctx context.Context) (err error) {
	if p.o.At != storage.Now {
		err = p.planner.asOf(ctx, p, p.o.At)
	} else {
		err = p.planner.observe(ctx, p)
	}
	finder, finderErr := p.planner.finder(ctx, p)
	if err = errors.Join(err, finderErr, p.readStacks(ctx)); err != nil {
		return inPhase(event.PhaseObserve, err)
	}
	p.lookUpNames(finder)
	p.lookUp(finder)
	return nil
}

// Remember reads the records other than live state. It must come after the observation, because the
// recovery of open actions changes the attempts and the applied configurations.
func (p *Planning) Remember(ctx context.Context) (err error) {
	e := p.planner
	if p.memory, err = loadMemory(ctx, e.Ledger, p.o.At); err != nil {
		return err
	}
	failed := len(p.memory.tries) > 0
	if p.memory.rollouts, err = follow.Load(ctx, e.Ledger.Reader(), p.Intents, p.o.At, failed); err != nil {
		return err
	}
	p.memory.resets = p.o.SetUnverified
	sources := e.Ledger.Reader().Sources()
	p.formerly = func(r resource.Ref) position.Position { // in the last accepted configuration, before this plan
		at, err := sources.At(ctx, r, p.Revision)
		p.formerlyErr = errors.Join(p.formerlyErr, err)
		return at
	}
	p.unwanted = func(r resource.Ref) string {
		why, err := query.WhyUnwanted(ctx, e.Ledger.Reader(), r, p.Revision)
		p.formerlyErr = errors.Join(p.formerlyErr, err)
		return why
	}
	if err := e.replacements(ctx, p, p.o.At); err != nil {
		return err
	}
	p.memory.unread, err = e.unread(ctx, p)
	return err
}

// Decide compares the configurations with live state and lets the policies review the proposals.
func (p *Planning) Decide(ctx context.Context) (err error) {
	if err := p.planner.decide(ctx, p); err != nil {
		return err
	}
	if p.formerlyErr != nil {
		return p.formerlyErr
	}
	if err := p.publish(ctx); err != nil || p.Past {
		return err
	}
	p.Plan.Unlisted, err = p.planner.unlisted(ctx, p)
	return err
}

// Finish records the plan, so that it can be explained later, and returns it. The waves come before
// the plan: no action of a wave may be applied before the wave is recorded as started. If an event
// cannot be recorded, the plan must not be applied.
func (p *Planning) Finish(ctx context.Context) (*Planned, error) {
	e := p.planner
	if err := e.recordExhausted(ctx, p); err != nil {
		return nil, err
	}
	if err := e.recordOutages(ctx, p); err != nil {
		return nil, err
	}
	if err := e.recordWaves(ctx, p); err != nil {
		return nil, err
	}
	executes := func(d decider.Decision) bool { return d.Action.Executes() }
	if err := e.recordPlan(ctx, p); err != nil || p.Mode != event.ForApply || len(p.Plan.Outputs) > 0 ||
		slices.ContainsFunc(p.Plan.Decisions, executes) { // an apply records its lookups when it starts
		return p.Planned, err
	}
	return p.Planned, e.recordPins(ctx, p)
}

// emptied returns configurations without their resources and lookups, in the same locations.
func emptied(intents []resource.Intent) []resource.Intent {
	out := slices.Clone(intents)
	for i := range out {
		scopes := slices.Clone(out[i].Scopes)
		for j := range out[i].Resources {
			scopes = append(scopes, out[i].Resources[j].Ref.Scope())
		}
		slices.SortFunc(scopes, resource.Scope.Compare)
		out[i].Scopes, out[i].Resources, out[i].Lookups = slices.Compact(scopes), nil, nil
		out[i].Outputs = nil
	}
	return out
}
