package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// observe makes the live state of a plan: it reads the scopes that are not recent enough in the
// store, and confirms what it read. Scopes inside resources are read after these, level by level.
func (e *Engine) observe(ctx context.Context, p *Planned, locations *located, maxAge time.Duration) (err error) {
	p.insides = locations.insides
	if p.Revision, err = e.cfg.Ledger.Revision(ctx); err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	opens, err := e.openActions(ctx)
	if err != nil {
		return err
	}
	requests, err := e.requests(ctx, p, locations.scopes, opens)
	if err != nil {
		return err
	}
	p.live = resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	for level, before := 0, loaded(p.Intents); level == 0 || len(requests) > 0; level, before = level+1, nil {
		var now []provider.ObserveRequest
		now, requests = p.insides.split(requests, level)
		raw := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
		if level == 0 {
			maps.Copy(raw.Unreachable, locations.failed)
		}
		c := confirmOptions{since: p.Revision, before: before, opens: opens}
		now, c.absent = p.enter(now, opens, raw)
		c.inside = requests
		if opens, err = e.observeLevel(ctx, p, now, raw, c, maxAge); err != nil {
			return err
		}
	}
	return nil
}

// observeLevel reads the scopes of one level, besides those in raw, of which all is known already. It
// returns the actions that stay open.
func (e *Engine) observeLevel(ctx context.Context, p *Planned, now []provider.ObserveRequest, raw resource.LiveState, o confirmOptions, maxAge time.Duration) ([]openAction, error) {
	fresh, stale, err := e.splitByAge(ctx, p, now, o.opens, maxAge)
	if err != nil {
		return nil, err
	}
	read := e.observer.Observe
	if p.async != nil {
		read = p.async.Observe
	}
	answers := read(ctx, stale)
	e.awaitStarting(ctx, p, stale, o.inside, answers)
	maps.Copy(raw.Scopes, answers.Scopes)
	maps.Copy(raw.Unreachable, answers.Unreachable)
	o.requests = stale
	c, err := e.confirm(ctx, raw, o)
	if err != nil {
		return nil, err
	}
	p.Recovered, p.open = append(p.Recovered, c.recovered...), c.open
	p.addBindings(c.bindings)
	p.Observations = append(p.Observations, e.describe(observationsOf(c.live, fresh))...)
	bindings, err := e.cfg.Ledger.BindingsIn(ctx, slices.Collect(maps.Keys(fresh)))
	if err != nil {
		return nil, err
	}
	for s, snapshot := range fresh {
		e.bind(snapshot, bindings[s])
		c.live.Scopes[s] = snapshot
		p.addBindings(bindings[s])
	}
	maps.Copy(p.live.Scopes, c.live.Scopes)
	maps.Copy(p.live.Unreachable, c.live.Unreachable)
	slices.SortFunc(p.Observations, func(a, b Observation) int { return a.Scope.Compare(b.Scope) })
	return slices.DeleteFunc(slices.Clone(o.opens), func(o openAction) bool {
		_, still := c.open[o.Ref]
		return !o.running && !still
	}), nil
}

// requests lists what to read in each scope: the kinds that are configured, referred to or
// recorded, and those of open actions; all kinds if the plan asks for them. Adopted resources are
// known: nothing on them tells the provider that they are managed.
func (e *Engine) requests(ctx context.Context, p *Planned, scopes []resource.Scope, opens []openAction) ([]provider.ObserveRequest, error) {
	out := make([]provider.ObserveRequest, len(scopes))
	configured, inProgress := configuredKinds(p.Intents), kindsIn(opens)
	known, err := e.cfg.Ledger.BindingsIn(ctx, scopes)
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
			if b.Adopted {
				out[i].Known = append(out[i].Known, provider.Known{Kind: b.Ref.Kind, ID: b.ID})
			}
		}
		if p.filter {
			out[i].Filter = filterOf(s, bindings, p.Intents, opens)
		}
		if p.allKinds {
			continue
		}
		p.insides.parentKinds(s, kinds)
		for _, name := range configured[s] {
			if k, ok := e.cfg.Providers.Kind(s.Provider, name); ok && !kinds[name] {
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

// kindsIn are the kinds of open actions, by their scopes.
func kindsIn(opens []openAction) map[resource.Scope][]string {
	out := map[resource.Scope][]string{}
	for _, o := range opens {
		out[o.Ref.Scope()] = append(out[o.Ref.Scope()], o.Ref.Kind)
	}
	return out
}

// configuredKinds are the kinds of each scope that the intents configure, in their order.
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
		if a.RefKind != "" {
			kinds[a.RefKind] = true
		}
		if a.Elem != nil {
			referredKinds([]resource.Attribute{*a.Elem}, kinds)
		}
		referredKinds(a.Fields, kinds)
	}
}

// loaded returns the events for the loaded configurations.
func loaded(intents []resource.Intent) []event.Event {
	var out []event.Event
	for _, i := range intents {
		out = append(out, event.Loaded{Stack: i.Stack, Source: i.Source, Version: i.Version, Release: i.Release, Resources: len(i.Resources)})
	}
	return out
}

// splitByAge separates the scopes that are recent enough in the store from those to read. A scope
// with an open action is always read.
func (e *Engine) splitByAge(ctx context.Context, p *Planned, requests []provider.ObserveRequest, opens []openAction, maxAge time.Duration) (map[resource.Scope]resource.Snapshot, []provider.ObserveRequest, error) {
	fresh := map[resource.Scope]resource.Snapshot{}
	if maxAge <= 0 && p.async == nil {
		return fresh, requests, nil
	}
	scans, err := e.cfg.Ledger.Scans(ctx, 0)
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
	for _, r := range requests {
		s := r.Scope
		scan, open := last[s], len(inProgress[s]) > 0
		late, reported := p.async != nil && p.async.TakeRecorded(s), p.async != nil && p.async.TakeReported(s)
		if scan == nil || reported || open && (p.async == nil || !p.async.Assists()) || !scan.Covers(r.Kinds) || !late && (maxAge <= 0 || p.At.Sub(scan.Confirmed) > maxAge) {
			stale = append(stale, r)
			continue
		}
		recent = append(recent, *scan)
	}
	if fresh, err = e.cfg.Ledger.Snapshots(ctx, recent); err != nil {
		return nil, nil, fmt.Errorf("read the recorded state: %w", err)
	}
	return fresh, stale, nil
}

// describe adds what the providers call the locations.
func (e *Engine) describe(all []Observation) []Observation {
	for i := range all {
		if d, ok := e.cfg.Providers[all[i].Scope.Provider].(provider.Describer); ok {
			all[i].Place = d.Describe(all[i].Scope.Location)
		}
	}
	return all
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
