package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// observe makes the world a plan rests on: it observes, records what was seen, and answers the
// actions whose end nobody recorded.
func (e *Engine) observe(ctx context.Context, p *Planned, locations *located, maxAge time.Duration) (err error) {
	if p.Revision, err = e.cfg.Ledger.Revision(ctx); err != nil {
		return fmt.Errorf("the record: %w", err)
	}
	doubts, err := e.openActions(ctx)
	if err != nil {
		return err
	}
	fresh, stale, err := e.splitByAge(ctx, p, locations.scopes, doubts, maxAge)
	if err != nil {
		return err
	}
	seen, err := e.observeScopes(ctx, p, stale, locations.failed)
	if err != nil {
		return err
	}
	if p.Recovered, p.open, err = e.recoverAll(ctx, doubts, seen); err != nil {
		return err
	}
	p.Observations = observationsOf(seen, fresh)
	for s, snapshot := range fresh {
		seen.Scopes[s] = snapshot
	}
	p.live = seen
	return nil
}

// A thing that was made or changed so recently may be missing from a list though it is there.
// Before it counts as gone the scope is looked at again, after these pauses.
const youngFor = 10 * time.Minute

func youngPauses() []time.Duration { return []time.Duration{500 * time.Millisecond, time.Second} }

// observeScopes observes and records what was seen. A provider promises to list what it has just made;
// the second look is for the day when its lists are behind all the same, for the price would
// be to make a thing twice.
func (e *Engine) observeScopes(ctx context.Context, p *Planned, scopes []resource.Scope, failed map[resource.Scope]error) (resource.LiveState, error) {
	o := ledger.ObservationOptions{Since: p.Revision, Young: youngFor, Before: loaded(p.Intents)}
	observe := e.observer.Observe
	if p.async != nil {
		observe = p.async.observe
	}
	seen := observe(ctx, scopes)
	maps.Copy(seen.Unreachable, failed)
	for _, pause := range append(youngPauses(), 0) {
		if ctx.Err() != nil {
			return seen, fmt.Errorf("stopped while looking: %w", context.Cause(ctx))
		}
		if pause == 0 {
			o.Young = 0
		}
		_, err := e.cfg.Ledger.RecordObservation(ctx, seen, o)
		var missed *ledger.YoungError
		if err == nil {
			return seen, nil
		}
		if !errors.As(err, &missed) {
			return seen, fmt.Errorf("record what was seen: %w", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		again := e.observer.Observe(ctx, scopesWith(missed.Refs))
		for s, err := range again.Unreachable {
			delete(seen.Scopes, s)
			seen.Unreachable[s] = err
		}
		maps.Copy(seen.Scopes, again.Scopes)
	}
	return seen, nil
}

func scopesWith(refs []resource.Ref) []resource.Scope {
	var out []resource.Scope
	for _, r := range refs {
		out = append(out, r.Scope())
	}
	return out
}

// loaded says what was wanted, and by which source.
func loaded(intents []resource.Intent) []event.Event {
	var out []event.Event
	for _, i := range intents {
		out = append(out, event.Loaded{Stack: i.Stack, Source: i.Source, Version: i.Version, Resources: len(i.Resources)})
	}
	return out
}

// splitByAge tells the scopes that the record knows well enough from those to look at. One with
// an open action is always looked at.
func (e *Engine) splitByAge(ctx context.Context, p *Planned, scopes []resource.Scope, doubts []openAction, maxAge time.Duration) (map[resource.Scope]resource.Snapshot, []resource.Scope, error) {
	fresh := map[resource.Scope]resource.Snapshot{}
	if maxAge <= 0 && p.async == nil {
		return fresh, scopes, nil
	}
	scans, err := e.cfg.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("the age of what is known: %w", err)
	}
	var stale []resource.Scope
	for _, s := range scopes {
		i := slices.IndexFunc(scans, func(scan ledger.Scan) bool { return scan.Scope == s })
		open := slices.ContainsFunc(doubts, func(d openAction) bool { return d.Ref.Scope() == s })
		late := p.async.takeRecorded(s)
		if i < 0 || open && !p.async.assists() || !scans[i].Complete || !late && (maxAge <= 0 || p.At.Sub(scans[i].Confirmed) > maxAge) {
			stale = append(stale, s)
			continue
		}
		if fresh[s], err = e.cfg.Ledger.Snapshot(ctx, s); err != nil {
			return nil, nil, fmt.Errorf("what is known of %s: %w", s, err)
		}
	}
	return fresh, stale, nil
}

func observationsOf(seen resource.LiveState, fresh map[resource.Scope]resource.Snapshot) []Observation {
	var out []Observation
	for s, snapshot := range seen.Scopes {
		out = append(out, Observation{Scope: s, At: snapshot.At, Count: len(snapshot.Resources)})
	}
	for s, snapshot := range fresh {
		out = append(out, Observation{Scope: s, At: snapshot.At, Count: len(snapshot.Resources), Recorded: true})
	}
	for s, err := range seen.Unreachable {
		out = append(out, Observation{Scope: s, Err: err})
	}
	slices.SortFunc(out, func(a, b Observation) int { return a.Scope.Compare(b.Scope) })
	return out
}
