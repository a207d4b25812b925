package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/engine/plan/locate"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// enter returns the requests that can be made. The other scopes need no request: if the outer resource is
// known not to exist, the scope is empty and in absent; otherwise it is unreachable.
func (p *Planning) enter(
	requests []provider.ObserveRequest, opens []recovery.OpenAction, raw resource.LiveState,
) (out []provider.ObserveRequest, absent map[resource.Scope]bool) {
	absent = map[resource.Scope]bool{}
	for _, r := range requests {
		parent, inside := p.places.Insides[r.Scope]
		if !inside {
			out = append(out, r)
			continue
		}
		switch err := locate.Reach(parent, p.Live, opens); {
		case err == nil:
			out = append(out, r)
		case errors.Is(err, locate.ErrAbsent):
			raw.Scopes[r.Scope] = resource.Snapshot{Scope: r.Scope, At: p.Live.Scopes[parent.Scope()].At}
			absent[r.Scope] = true
		default:
			raw.Unreachable[r.Scope] = err
		}
	}
	return out, absent
}

// observe makes the live state of a plan: it reads the scopes that are not recent enough in the
// store, and confirms what it read. Scopes inside resources are read after these, level by level.
// The revision is taken before anything is read, so that a record which is newer than the
// observation is recognized.
func (e *Planner) observe(ctx context.Context, p *Planning) (err error) {
	if p.Revision, err = e.Ledger.Revision(ctx); err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	opens, err := e.OpenActions(ctx)
	if err != nil {
		return err
	}
	p.opened = opens
	requests, err := e.requests(ctx, p, p.places.Scopes, opens)
	if err != nil {
		return err
	}
	p.Live = resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	var before []event.Event
	for _, i := range p.Intents {
		if i.Unread != "" {
			continue
		}
		before = append(before, event.Loaded{
			Stack: i.Stack, Source: i.Source, Version: i.Version, Release: i.Release, Resources: len(i.Resources),
		})
	}
	before = append(before, p.accepted...)
	// A scope inside a resource can be read only once the resource is known, so levels follow each other.
	for level := 0; level == 0 || len(requests) > 0; level, before = level+1, nil {
		var now []provider.ObserveRequest
		now, requests = p.places.Insides.Split(requests, level)
		raw := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
		if level == 0 {
			maps.Copy(raw.Unreachable, p.places.Failed)
		}
		c := recovery.Options{Since: p.Revision, Before: before, Opens: opens}
		now, c.Absent = p.enter(now, opens, raw)
		if opens, err = e.observeLevel(ctx, p, now, requests, raw, c); err != nil {
			return err
		}
	}
	return nil
}

// observeLevel reads the scopes of one level, besides those in raw, of which all is known already.
// It returns the actions that stay open. Only confirmed answers become live state. State from the
// store is neither recorded nor confirmed again.
func (e *Planner) observeLevel(
	ctx context.Context, p *Planning, now, deeper []provider.ObserveRequest, raw resource.LiveState, o recovery.Options,
) ([]recovery.OpenAction, error) {
	fresh, stale, err := e.splitByAge(ctx, p, now, o.Opens)
	if err != nil {
		return nil, err
	}
	read := e.Observer.Observe
	if p.o.Observe != nil {
		read = p.o.Observe.Observe
	}
	answers := read(ctx, stale)
	e.awaitStarting(ctx, p, stale, deeper, answers)
	maps.Copy(raw.Scopes, answers.Scopes)
	maps.Copy(raw.Unreachable, answers.Unreachable)
	o.Requests = stale
	c, err := e.Confirm(ctx, raw, o)
	if err != nil {
		return nil, err
	}
	p.Recovered, p.Open = append(p.Recovered, c.Recovered...), c.Open
	p.addBindings(c.Bindings)
	bindings, err := e.BindRecorded(ctx, fresh)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Collect(maps.Keys(fresh)) {
		p.addBindings(bindings[s])
		if joined, is := e.joined(c.Live, fresh[s], stale); is { // it was read, too
			delete(c.Live.Unreachable, s)
			delete(fresh, s)
			c.Live.Scopes[s] = joined
		}
	}
	observations := observationsOf(c.Live, fresh)
	for i := range observations {
		if d, ok := e.Providers[observations[i].Scope.Provider].(provider.Describer); ok {
			observations[i].Place = d.Describe(observations[i].Scope.Location)
		}
	}
	p.Observations = append(p.Observations, observations...)
	maps.Copy(c.Live.Scopes, fresh)
	maps.Copy(p.Live.Scopes, c.Live.Scopes)
	maps.Copy(p.Live.Unreachable, c.Live.Unreachable)
	slices.SortFunc(p.Observations, func(a, b Observation) int { return a.Scope.Compare(b.Scope) })
	return slices.DeleteFunc(slices.Clone(o.Opens), func(o recovery.OpenAction) bool {
		_, still := c.Open[o.Ref]
		return !o.Running && !still
	}), nil
}

// joined returns the recorded kinds of a scope with the kinds that were read now, if any had to be read.
func (e *Planner) joined(
	live resource.LiveState, recorded resource.Snapshot, asked []provider.ObserveRequest,
) (resource.Snapshot, bool) {
	if now, read := live.Scopes[recorded.Scope]; read {
		return now.And(recorded), true
	}
	err := live.Unreachable[recorded.Scope]
	if err == nil {
		return recorded, false
	}
	unread := map[string]error{}
	for _, r := range asked {
		if r.Scope == recorded.Scope {
			for _, k := range r.Kinds {
				unread[k] = err
			}
		}
	}
	return recorded.Without(unread), true
}

// requests lists what to read in each scope: the kinds that are configured, referred to, recorded
// or in an open action; all kinds if the plan asks for them. Adopted resources are known: nothing
// on them tells the provider that they are managed. So are resources that span locations, whose
// marks may still have the former one. A kind that is only referred to is read too, because
// references need its attributes.
func (e *Planner) requests(
	ctx context.Context, p *Planning, scopes []resource.Scope, opens []recovery.OpenAction,
) ([]provider.ObserveRequest, error) {
	out := make([]provider.ObserveRequest, len(scopes))
	configured, inProgress, names := configuredKinds(p.Intents), kindsIn(opens), e.names(p.Intents)
	known, err := e.Ledger.BindingsIn(ctx, scopes)
	if err != nil {
		return nil, err
	}
	for i, s := range scopes {
		out[i].Scope = s
		bindings := known[s]
		kinds := map[string]bool{}
		for j := range bindings {
			b := &bindings[j]
			if !b.Live() {
				continue
			}
			kinds[b.Ref.Kind] = true
			if b.Adopted || e.Kind(b.Ref).Spans {
				out[i].Known = append(out[i].Known, provider.Known{Kind: b.Ref.Kind, ID: b.ID})
			}
		}
		named, ids := e.namedKnown(names[s])
		out[i].Known = slices.Concat(out[i].Known, lookedUpIDs(p.Intents, s), ids)
		if p.filter {
			out[i].Filter = recovery.FilterOf(s, bindings, p.Intents, opens)
			out[i].Filter.Full = searchedKinds(p.Intents, s)
		}
		if p.allKinds {
			continue
		}
		p.places.Insides.ParentKinds(s, kinds)
		for _, name := range append(lookedUpKinds(p.Intents, s), named...) {
			kinds[name] = true
		}
		for _, name := range configured[s] {
			if k, ok := e.Providers.Kind(s.Provider, name); ok && !kinds[name] {
				referredKinds(k.Attrs, kinds)
			}
			kinds[name] = true
		}
		for _, kind := range inProgress[s] {
			kinds[kind] = true
		}
		if len(kinds) > 0 {
			out[i].Kinds = slices.Sorted(maps.Keys(kinds))
		}
	}
	return out, nil
}

// kindsIn returns the kinds of open actions, by their scopes.
func kindsIn(opens []recovery.OpenAction) map[resource.Scope][]string {
	out := map[resource.Scope][]string{}
	for _, o := range opens {
		out[o.Ref.Scope()] = append(out[o.Ref.Scope()], o.Ref.Kind)
	}
	return out
}

// configuredKinds returns the kinds of each scope that the intents configure, in their order.
func configuredKinds(intents []resource.Intent) map[resource.Scope][]string {
	out := map[resource.Scope][]string{}
	for i := range intents {
		for j := range intents[i].Resources {
			ref := intents[i].Resources[j].Ref
			if s := ref.Scope(); !slices.Contains(out[s], ref.Kind) {
				out[s] = append(out[s], ref.Kind)
			}
		}
	}
	return out
}

func referredKinds(schema []resource.Attribute, kinds map[string]bool) {
	for i := range schema {
		a := &schema[i]
		if a.RefKind != "" && a.RefPath == "" && !a.AnyName {
			kinds[a.RefKind] = true
		}
		if a.Elem != nil {
			referredKinds([]resource.Attribute{*a.Elem}, kinds)
		}
		referredKinds(a.Fields, kinds)
	}
}

// splitByAge separates the scopes that are recent enough in the store from those to read. A scope
// with an open action is always read. If some kinds of a scope were recorded late, these kinds are
// taken from the store and the others are read. A scope that was never read before is always read.
func (e *Planner) splitByAge(
	ctx context.Context, p *Planning, requests []provider.ObserveRequest, opens []recovery.OpenAction,
) (map[resource.Scope]resource.Snapshot, []provider.ObserveRequest, error) {
	fresh := map[resource.Scope]resource.Snapshot{}
	if p.maxAge <= 0 && p.o.Observe == nil {
		return fresh, requests, nil
	}
	scans, err := e.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("read the age of observations: %w", err)
	}
	last := make(map[resource.Scope]*ledger.Scan, len(scans))
	for i := range scans {
		last[scans[i].Scope] = &scans[i]
	}
	inProgress := kindsIn(opens)
	var stale []provider.ObserveRequest
	var recent []ledger.Scan
	parts := map[resource.Scope][]string{}
	for _, r := range requests {
		s := r.Scope
		scan, open := last[s], len(inProgress[s]) > 0
		var late []string
		reported := false
		if p.o.Observe != nil {
			late, reported = p.o.Observe.TakeRecorded(s), p.o.Observe.TakeReported(s)
		}
		if scan == nil || reported || open && (p.o.Observe == nil || !p.o.Observe.Assists()) {
			stale = append(stale, r)
			continue
		}
		rest := r // the kinds that were not recorded late, by name; none if nothing is left
		if rest.Kinds == nil {
			rest.Kinds = e.Providers.Names(s.Provider)
		}
		rest.Kinds = slices.DeleteFunc(slices.Clone(rest.Kinds), func(k string) bool { return slices.Contains(late, k) })
		switch {
		case scan.Covers(r.Kinds) && (len(rest.Kinds) == 0 || p.maxAge > 0 && p.At.Sub(scan.Confirmed) <= p.maxAge):
			recent = append(recent, *scan)
		case len(late) == 0:
			stale = append(stale, r)
		default:
			parts[s], recent = late, append(recent, *scan)
			if len(rest.Kinds) > 0 {
				stale = append(stale, rest)
			}
		}
	}
	if fresh, err = e.Ledger.Snapshots(ctx, recent); err != nil {
		return nil, nil, fmt.Errorf("read the recorded state: %w", err)
	}
	for s, kinds := range parts {
		if snapshot, recorded := fresh[s]; recorded {
			fresh[s] = snapshot.Only(kinds)
		}
	}
	return fresh, stale, nil
}

func observationsOf(live resource.LiveState, fresh map[resource.Scope]resource.Snapshot) []Observation {
	var out []Observation
	for s, snapshot := range live.Scopes {
		out = append(out, Observation{Scope: s, At: snapshot.At, Count: len(snapshot.Resources)})
	}
	for s, snapshot := range fresh {
		out = append(out, Observation{Scope: s, At: snapshot.At, Count: len(snapshot.Resources), Recorded: true})
	}
	for s, err := range live.Unreachable {
		out = append(out, Observation{Scope: s, Err: err})
	}
	slices.SortFunc(out, func(a, b Observation) int { return a.Scope.Compare(b.Scope) })
	return out
}

// asOf makes the live state of a plan at a past revision. A scope that had not been read in full by
// then is unreachable. Actions that were open then are not recovered, and nothing is recorded.
func (e *Planner) asOf(ctx context.Context, p *Planning, at storage.Revision) error {
	then, rev, err := e.Ledger.LiveState(ctx, at)
	if err != nil {
		return fmt.Errorf("read the live state at revision %d: %w", at, err)
	}
	fresh := map[resource.Scope]resource.Snapshot{}
	p.Live = resource.LiveState{Scopes: fresh, Unreachable: p.places.Failed}
	for _, s := range p.places.Scopes {
		switch snapshot, read := then.Scopes[s]; {
		case read && !snapshot.At.IsZero():
			fresh[s] = snapshot
		case then.Unreachable[s] != nil:
			p.Live.Unreachable[s] = then.Unreachable[s]
		default:
			p.Live.Unreachable[s] = fmt.Errorf("%s had not been observed at revision %d", s, rev)
		}
	}
	p.Revision, p.Past = rev, true
	p.Observations = observationsOf(resource.LiveState{Unreachable: p.Live.Unreachable}, fresh)
	return nil
}
