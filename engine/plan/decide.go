package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/plan/removal"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// decide compares the configurations with live state and lets the policies review the proposals.
// The loop ends, because each round adds an exchanged resource or is the last one. Errors that
// policies could not return are collected in the memory and returned here: a decision on an
// incomplete record is never used.
func (e *Planner) decide(ctx context.Context, p *Planning) error {
	o := p.o
	unread, any, err := e.lastAccepted(ctx, p)
	if err != nil {
		return err
	}
	if p.flights, err = e.inFlight(ctx, p); err != nil {
		return err
	}
	p.first = nil
	if looked := lookupPolicyOf(p); len(looked.lookups) > 0 {
		p.first = append(p.first, looked)
	}
	if len(p.names) > 0 {
		p.first = append(p.first, namePolicy{p.names})
	}
	if any {
		p.first = append(p.first, unread)
	}
	recorded := source{memory: p.memory, live: p.Live, bindings: p.Bindings}
	exchanged := map[resource.Ref]bool{}
	for {
		if err := e.propose(ctx, p, recorded, exchanged); err != nil {
			return err
		}
		known := len(exchanged)
		for _, r := range decider.Exchanges(p.Plan, e.Providers.Kind, p.memory.isBlessed) {
			exchanged[r] = true
		}
		if len(exchanged) == known {
			break
		}
	}
	p.tellNames()
	m := p.memory
	if o.digest != nil {
		p.approving = o.digest(p.Plan)
	}
	if p.Mode != event.ForDrift && !p.Past {
		p.rest(m, p.facts, p.policed)
	}
	if err := errors.Join(m.approvalErr, m.seenErr, m.pastErr(), m.others.Err()); err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	m.noteUnverified(p.Plan, e.Providers.Kind)
	if err := m.noteOutside(p.Plan, inProgress(p.Planned)); err != nil {
		return err
	}
	p.Blessed, p.Stays, p.Outages, p.applied = m.blessed, staysOf(p.Plan), m.names.Outages, m.applied
	if p.Mode == event.ForDrift {
		p.Whole, p.Plan = p.Plan, m.driftOnly(p.Plan, p.Changing)
	}
	p.Tries, p.Counts = m.tries, event.Count(p.Plan)
	return nil
}

// source holds the live state and the record of a plan, under the recorded names.
type source struct {
	memory   *memory
	live     resource.LiveState
	bindings []resource.Binding
}

// propose compares and decides once. The exchanged resources are replaced because of each other's
// things.
func (e *Planner) propose(ctx context.Context, p *Planning, recorded source, exchanged map[resource.Ref]bool) error {
	o := p.o
	found, err := e.compare(p, recorded, requested(p.Intents, o.Replace, exchanged))
	if err != nil {
		return err
	}
	m := p.memory
	found.Differences = append(found.Differences, unreadDifferences(p, m.unread)...)
	facts := e.factsOf(p, found)
	facts.Exchanged = exchanged
	p.Awaits, p.AwaitsOthers, p.Changed = map[resource.Ref]bool{}, map[resource.Ref]bool{}, map[resource.Ref]bool{}
	first := []decider.Policy{
		busyPolicy{p.flights, e.Providers.Kind, p.Awaits, p.AwaitsOthers, p.Changed},
		openActionPolicy{p.Open, e.Providers.Kind, m.recoverable},
		keyPolicy{m.confirmed},
	}
	people, err := e.people(ctx, m)
	if err != nil {
		return inPhase(event.PhaseDecide, fmt.Errorf("read the roster: %w", err))
	}
	first = append(append(first, people...), p.first...)
	if p.following != nil {
		facts.Follows, first = p.following.Why, append(first, p.following)
	}
	p.facts, p.policed = facts, o.policies(e.Providers.Kind, first...)
	if p.Plan, err = decider.Decide(found, e.Providers.Kind, facts, p.policed...); err != nil {
		return inPhase(event.PhaseDecide, fmt.Errorf("decide: %w", err))
	}
	// Only a first decision tells which counts have turns, and so of which the providers must be asked.
	if e.askReady(ctx, p) {
		if p.Plan, err = decider.Decide(found, e.Providers.Kind, facts, p.policed...); err != nil {
			return inPhase(event.PhaseDecide, fmt.Errorf("decide: %w", err))
		}
	}
	return nil
}

// factsOf returns what the policies may read.
func (e *Planner) factsOf(p *Planning, found comparator.Result) decider.Facts {
	m, o := p.memory, p.o
	return decider.Facts{
		Now:              p.At,
		Requester:        p.By,
		Destroy:          o.Destroy,
		Prune:            o.Prune,
		Rules:            rulesOf(p.Intents),
		Unreachable:      p.Live.Unreachable,
		Live:             p.Live.Scopes,
		UnreachableKinds: kindsUnreachable(p.Live),
		Unread:           m.unread,
		Sets:             decider.SetsOf(p.Intents),
		Absent:           removal.Recorded(removal.Why(p.Intents, p.formerly), p.formerly, p.unwanted),
		Deleted:          deletedOutside(found.Differences, p.Bindings, m.applied),
		Health:           p.healthOf,
		Origin:           m.origin,
		Blessed:          m.isBlessed,
		Called:           called(p.Bindings, m.stacks),
		Attempts:         m.attempts,
		Restarts:         m.restartsOf,
		Fight:            m.fight,
		Approvals:        m.approvals(p.At),
		Digest:           o.digest,
		SavedDigest:      o.savedDigest,
		History:          m.past,
		LastConfigured:   m.lastConfigured,
		Ended:            m.ended,
		LastDependsOn:    m.lastDependsOn,
		Destroying:       destroying(p.flights),
		Pins:             p.pins,
		StackPins:        p.stackPins,
	}
}

// compare compares the configurations with live state: those that are loaded or, where a rollout
// has not reached a resource or it goes back, its last good one. The result has the record under
// the new names, because a rename must not look like a deletion and a creation.
func (e *Planner) compare(
	p *Planning, recorded source, replace func(resource.Ref) bool,
) (found comparator.Result, err error) {
	ignores, err := driftRules(p.Intents)
	if err != nil {
		return found, fmt.Errorf("drift rules: %w", err)
	}
	m := recorded.memory
	in := comparator.Input{
		Intents:     p.Intents,
		Live:        recorded.live,
		Kinds:       e.Providers.Kind,
		Applied:     m.appliedTo,
		Blessed:     m.isBlessed,
		MustReplace: m.recreateOnly,
		Owner:       e.Owner,
		Secrets:     e.Secrets,
		Ignores:     ignores,
		Replacing:   p.inProgress,
		Starting:    m.starting(e.Providers.Kind, p.At),
		Replace:     replace,
		MovedAway:   m.movedAway(),
		Renamed:     m.renamed,
		Exchanged:   m.exchanged,
		Arrived:     m.arrivedFrom(p.o.Destroy),
		Known:       formerly(recorded.bindings),
		Others:      m.others,
		Plain: func(r resource.Ref) bool {
			at := p.formerly(r)
			return at.File != "" && at.Used == ""
		},
	}
	if looked := lookupPolicyOf(p).lookups; len(looked) > 0 {
		in.Unknown = func(r resource.Ref) bool { return looked[r] }
	}
	if found, err = comparator.Compare(in); err != nil {
		return found, inPhase(event.PhaseCompare, fmt.Errorf("compare: %w", err))
	}
	p.memory = m.under(found.Renames)
	p.bindNames(recorded.live, recorded.bindings, found.Renames)
	// The first comparison shows how far each resource has got; the second uses what each follows.
	if p.memory.rollouts != nil {
		p.following = p.memory.rollouts.Follow(follow.Input{
			At: p.At, Intents: p.Intents, Live: p.Live, Providers: e.Providers,
			Applied: p.memory.applied, Tries: p.memory.tries, Down: p.memory.down, Loaded: found, BackOff: p.o.BackOff,
			Bound: bound(p.Bindings),
		})
		p.rollouts, p.orders = p.following.Rollouts, p.following.Orders
		if p.following.Behind() {
			in.Intents = p.following.Intents(p.Intents)
			followed, err := comparator.Compare(in)
			if err != nil {
				return found, inPhase(event.PhaseCompare, fmt.Errorf("compare: %w", err))
			}
			found = p.following.Merge(found, followed)
		}
	}
	return found, m.appliedErr()
}

// bound returns whether a resource has a binding that has not ended.
func bound(all []resource.Binding) func(resource.Ref) bool {
	live := map[resource.Ref]bool{}
	for i := range all {
		live[all[i].Ref] = live[all[i].Ref] || all[i].Live()
	}
	return func(r resource.Ref) bool { return live[r] }
}

// deletedOutside returns the IDs of resources that are missing though their bindings have not ended:
// ovi did not delete them. A creation that was accepted and failed leaves a binding too, and nothing was applied to it.
func deletedOutside(
	found []comparator.Difference, bindings []resource.Binding, applied func(resource.Ref) (event.Applied, bool),
) map[resource.Ref]string {
	out := map[resource.Ref]string{}
	for i := range found {
		if found[i].Type == comparator.Missing {
			out[found[i].Ref] = ""
		}
	}
	for i := range bindings {
		b := &bindings[i]
		if _, missing := out[b.Ref]; !missing || !b.Live() {
			continue
		}
		if _, made := applied(b.Ref); made || b.Adopted {
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

// requested reports, for the comparator, which configured resources the names select or must be
// exchanged. Nil means none. A resource that is named but not configured is not selected: there is
// nothing to replace it by.
func requested(
	intents []resource.Intent, names []string, exchanged map[resource.Ref]bool,
) func(resource.Ref) bool {
	if len(names) == 0 && len(exchanged) == 0 {
		return nil
	}
	selected := maps.Clone(exchanged)
	for i := range intents {
		for j := range intents[i].Resources {
			ref := intents[i].Resources[j].Ref
			selected[ref] = selected[ref] || slices.ContainsFunc(names, func(name string) bool {
				named, err := decider.Names(name, ref)
				return named && err == nil
			})
		}
	}
	return func(r resource.Ref) bool { return selected[r] }
}
