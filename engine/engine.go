package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/observer"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Engine plans and applies. It may be used from many goroutines.
type Engine struct {
	cfg      Config
	observer observer.Observer
}

// New makes an engine.
func New(cfg Config) *Engine {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Owner == "" {
		cfg.Owner = "ovi"
	}
	return &Engine{cfg, observer.Observer{Providers: cfg.Providers, Parallel: cfg.ObserveParallel, Timeout: cfg.ObserveTimeout}}
}

// Ledger returns the ledger that the engine writes.
func (e *Engine) Ledger() *ledger.Ledger { return e.cfg.Ledger }

// Claims returns the claims that the engine acts under.
func (e *Engine) Claims() Claims { return e.cfg.Claims }

// Clock returns the time by the engine's clock.
func (e *Engine) Clock() time.Time { return e.cfg.Clock() }

// since is how long ago a time was, and never negative: a clock may have been set back.
func (e *Engine) since(start time.Time) time.Duration { return max(e.cfg.Clock().Sub(start), 0) }

// Plan observes every scope of the intents, and those where their stacks have recorded resources,
// and decides what to do. Of a provider it calls Locate, Observe and, with Check, Check; it also
// releases the claims of dead processes and records what it observed and planned. A scope that
// could not be read is in the plan's Unreachable, not an error.
func (e *Engine) Plan(ctx context.Context, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	p, err := e.plan(ctx, intents, o)
	if err != nil && o.At == storage.Now {
		e.phaseFailed(ctx, stacksOf(intents), err)
	}
	return p, err
}

func (e *Engine) plan(ctx context.Context, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	var err error
	if o.guards, err = Guards(intents, o.Rules); err != nil {
		return nil, err
	}
	p := e.newPlan(o.mode())
	p.By = cmp.Or(o.by, p.By)
	if err := e.require(ctx, p, intents, &o); err != nil {
		return nil, err
	}
	p.async, p.allKinds, p.filter, p.starting = o.Observe, o.AllKinds, !o.AllKinds, o.Starting
	if o.Destroy {
		intents = emptied(intents)
	}
	locations, err := e.locate(ctx, intents, o.MaxAge)
	if err != nil {
		return nil, err
	}
	p.Intents = locations.intents
	p.Stacks = stacksOf(p.Intents)
	if o.At != storage.Now {
		err = e.asOf(ctx, p, locations, o.At)
	} else {
		err = e.observe(ctx, p, locations, o.MaxAge)
	}
	if err != nil {
		return nil, inPhase(event.PhaseObserve, err)
	}
	memory, err := e.loadMemory(ctx, o.At)
	if err != nil {
		return nil, err
	}
	if err := memory.loadRollouts(ctx, e.cfg.Ledger.Reader(), p.Intents, o.At); err != nil {
		return nil, err
	}
	memory.resets, p.SetUnverified = o.SetUnverified, o.SetUnverified
	if err := e.replacements(ctx, p, o.At); err != nil {
		return nil, err
	}
	if memory.unread, err = e.unread(ctx, p); err != nil {
		return nil, err
	}
	if err := e.decide(ctx, p, memory, o); err != nil {
		return nil, err
	}
	if p.Past {
		return p, nil
	}
	if p.Plan.Unlisted, err = e.unlisted(ctx, p); err != nil {
		return nil, err
	}
	if o.Check {
		e.checkPlan(ctx, p)
	}
	if err := e.recordExhausted(ctx, p); err != nil {
		return nil, err
	}
	if err := e.recordWaves(ctx, p); err != nil {
		return nil, err
	}
	return p, e.recordPlan(ctx, p)
}

// byOther is who made a plan, if that is another than who records it.
func byOther(who, user string) string {
	if who == user {
		return ""
	}
	return who
}

// newPlan returns an empty plan.
func (e *Engine) newPlan(mode event.Mode) *Planned {
	return &Planned{ID: ulid.Make().String(), Mode: mode, By: e.cfg.Ledger.User(), At: e.cfg.Clock().UTC().Round(0), kinds: e.cfg.Providers.Kind}
}

// decide compares the configurations with live state and lets the policies review the proposals.
func (e *Engine) decide(ctx context.Context, p *Planned, m *memory, o PlanOptions) error {
	found, err := e.compare(p, m, o.Replace)
	if err != nil {
		return err
	}
	found.Differences = append(found.Differences, unreadDifferences(p, m.unread)...)
	facts := decider.Facts{
		Now: p.At, Destroy: o.Destroy, Prune: o.Prune, Rules: rulesOf(p.Intents), Unreachable: p.live.Unreachable, Blessed: m.isBlessed, Attempts: m.attempts, Restarts: m.restartsOf,
		Approvals: m.approvals(p.At), Requester: p.By, Digest: o.digest, History: m.past,
		UnreachableKinds: kindsUnreachable(p.live), Health: p.healthOf, Origin: m.origin, Unread: m.unread, LastConfigured: m.lastConfigured, LastDependsOn: m.lastDependsOn, Deleted: deletedOutside(found.Differences, p.bindings),
	}
	first := []decider.Policy{e.openPolicy(p.open)}
	if p.following != nil {
		facts.Follows, first = p.following.why, append(first, p.following)
	}
	policies := o.policies(e.cfg.Providers.Kind, first...)
	if p.Plan, err = decider.Decide(found, e.cfg.Providers.Kind, facts, policies...); err != nil {
		return inPhase(event.PhaseDecide, fmt.Errorf("decide: %w", err))
	}
	if e.askReady(ctx, p) {
		if p.Plan, err = decider.Decide(found, e.cfg.Providers.Kind, facts, policies...); err != nil {
			return inPhase(event.PhaseDecide, fmt.Errorf("decide: %w", err))
		}
	}
	if o.digest != nil {
		p.approving = o.digest(p.Plan)
	}
	if p.Mode != event.ForDrift && !p.Past {
		p.rest(m, facts, policies)
	}
	if err := errors.Join(m.approvalErr, m.pastErr()); err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	m.noteOutside(p.Plan)
	p.blessed, p.known, p.stays = m.blessed, m.known, staysOf(p.Plan)
	if p.Mode == event.ForDrift {
		p.Whole, p.Plan = p.Plan, m.driftOnly(p.Plan)
	}
	p.tries, p.Counts = m.tries, event.Count(p.Plan)
	return nil
}

// compare compares the configurations with live state: those that are loaded or, where a rollout has
// not reached a resource or it goes back, its last good one.
func (e *Engine) compare(p *Planned, m *memory, replace []string) (found comparator.Result, err error) {
	ignores, err := driftRules(p.Intents)
	if err != nil {
		return found, fmt.Errorf("drift rules: %w", err)
	}
	in := comparator.Input{
		Intents: p.Intents, Live: p.live, Kinds: e.cfg.Providers.Kind, Applied: m.appliedTo, Blessed: m.isBlessed, MustReplace: m.recreateOnly, Owner: e.cfg.Owner, Secrets: e.cfg.Secrets,
		Ignores: ignores, Replacing: p.inProgress, Starting: m.starting(e.cfg.Providers.Kind, p.At),
		Replace: requested(p.Intents, replace),
	}
	if found, err = comparator.Compare(in); err == nil && m.rollouts != nil {
		if p.following = e.rollOut(p, m, found); len(p.following.instead) > 0 {
			in.Intents = p.following.intents(p.Intents)
			var followed comparator.Result
			followed, err = comparator.Compare(in)
			found = p.following.merge(found, followed)
		}
	}
	if err != nil {
		return found, inPhase(event.PhaseCompare, fmt.Errorf("compare: %w", err))
	}
	return found, m.appliedErr()
}

// deletedOutside returns the IDs of resources that are missing though their bindings have not ended:
// ovi did not delete them.
func deletedOutside(found []comparator.Difference, bindings []resource.Binding) map[resource.Ref]string {
	out := map[resource.Ref]string{}
	for i := range found {
		if found[i].Type == comparator.Missing {
			out[found[i].Ref] = ""
		}
	}
	for i := range bindings {
		b := &bindings[i]
		if _, missing := out[b.Ref]; missing && b.Live() {
			out[b.Ref] = b.ID
		}
	}
	return out
}

// kindsUnreachable lists the kinds that were not read in full, by scope.
func kindsUnreachable(live resource.LiveState) map[resource.Scope]map[string]error {
	out := map[resource.Scope]map[string]error{}
	for s, snapshot := range live.Scopes {
		if len(snapshot.Unreachable) > 0 {
			out[s] = snapshot.Unreachable
		}
	}
	return out
}

// callers is whom the system of each provider takes ovi for, as far as one said.
func (e *Engine) callers() map[string]string {
	out := map[string]string{}
	for name, p := range e.cfg.Providers {
		if c, ok := p.(provider.Caller); ok && c.Caller() != "" {
			out[name] = c.Caller()
		}
	}
	return out
}

// recordPlan records the plan, so that it can be explained later.
func (e *Engine) recordPlan(ctx context.Context, p *Planned) (err error) {
	planned := event.Planned{
		Plan: p.ID, Stacks: p.Stacks, Mode: p.Mode, Counts: p.Counts, Unreachable: map[string]string{},
		At: p.At, Known: p.known, Owned: p.Plan.Owned, Digest: p.Plan.Digest(), Approving: p.approving, By: byOther(p.By, e.cfg.Ledger.User()), Policies: p.policies,
		As: e.callers(),
	}
	for _, d := range p.Plan.Decisions {
		planned.Decisions = append(planned.Decisions, event.Recorded(d))
	}
	for s, why := range p.Plan.Unreachable {
		planned.Unreachable[s.String()] = why
	}
	if p.Hash, err = event.HashDecisions(planned.Decisions); err != nil {
		return err
	}
	planned.Hash = p.Hash
	if _, err = e.cfg.Ledger.RecordPlan(ctx, planned); err != nil {
		return fmt.Errorf("record the plan: %w", err)
	}
	return nil
}

// Apply performs the plan. An error means that the whole apply stopped, because the ledger cannot
// be written; failures of single actions are in the result, which is never nil.
func (e *Engine) Apply(ctx context.Context, p *Planned, o ApplyOptions) (*Result, error) {
	a := e.newApply(ctx, p, o)
	if p.Past {
		return a.result(), errors.New("a plan at a past revision cannot be applied")
	}
	if err := a.announce(); err != nil {
		return a.result(), err
	}
	a.walk(decider.Steps(p.Plan))
	a.recordNotStarted()
	return a.result(), a.broken()
}

// Refresh makes a loaded plan ready to apply: it makes a new plan of the same configurations and
// allows only what the loaded plan contains. What it contains and is done already is in Already. A
// decision whose resource or configuration changed
// since is blocked as "stale", a decision that is not in the loaded plan as "not_in_plan".
func (e *Engine) Refresh(ctx context.Context, saved *Planned, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	only := &savedPolicy{saved.bases(), e.cfg.Providers.Kind}
	o.by = saved.By
	o.digest, o.Prune, o.SetUnverified = only.digest, saved.prunes(e.cfg.Providers.Kind), saved.SetUnverified
	o.AllowReplace, o.Replace = saved.replaces(), saved.requested()
	o.Mode, o.Policies = event.ForApply, append([]decider.Policy{only}, o.Policies...)
	p, err := e.Plan(ctx, intents, o)
	if err != nil {
		return nil, err
	}
	done, stale := only.since(saved, p)
	p.Already, p.Plan.Decisions = done, append(p.Plan.Decisions, stale...)
	p.Counts = event.Count(p.Plan)
	return p, nil
}
