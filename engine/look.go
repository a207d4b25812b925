package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// look makes the world a plan rests on: it observes, records what was seen, and answers the
// actions whose end nobody recorded.
func (e *Engine) look(ctx context.Context, p *Planned, places *places, maxAge time.Duration) (err error) {
	if p.Revision, err = e.cfg.Ledger.Revision(ctx); err != nil {
		return fmt.Errorf("the record: %w", err)
	}
	doubts, err := e.doubts(ctx)
	if err != nil {
		return err
	}
	fresh, stale, err := e.divide(ctx, p, places.scopes, doubts, maxAge)
	if err != nil {
		return err
	}
	seen, err := e.see(ctx, p, stale, places.failed)
	if err != nil {
		return err
	}
	if p.Settled, p.open, err = e.answer(ctx, doubts, seen); err != nil {
		return err
	}
	p.Looks = looks(seen, fresh)
	for s, snapshot := range fresh {
		seen.Seen[s] = snapshot
	}
	p.world = seen
	return nil
}

// A thing that was made or changed so recently may be missing from a list though it is there.
// Before it counts as gone the scope is looked at again, after these pauses.
const young = 10 * time.Minute

func pauses() []time.Duration { return []time.Duration{500 * time.Millisecond, time.Second} }

// see observes and records what was seen. A provider promises to list what it has just made;
// the second look is for the day when its lists are behind all the same, for the price would
// be to make a thing twice.
func (e *Engine) see(ctx context.Context, p *Planned, scopes []resource.Scope, failed map[resource.Scope]error) (resource.World, error) {
	o := ledger.LookOptions{Since: p.Revision, Young: young, Before: loaded(p.Intents)}
	observe := e.observer.Observe
	if p.eyes != nil {
		observe = p.eyes.observe
	}
	seen := observe(ctx, scopes)
	maps.Copy(seen.Failed, failed)
	for _, pause := range append(pauses(), 0) {
		if ctx.Err() != nil {
			return seen, fmt.Errorf("stopped while looking: %w", context.Cause(ctx))
		}
		if pause == 0 {
			o.Young = 0
		}
		_, err := e.cfg.Ledger.RecordWorld(ctx, seen, o)
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
		for s, err := range again.Failed {
			delete(seen.Seen, s)
			seen.Failed[s] = err
		}
		maps.Copy(seen.Seen, again.Seen)
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
func loaded(intents []resource.Intent) []ledger.Event {
	var out []ledger.Event
	for _, i := range intents {
		out = append(out, ledger.Loaded{Stack: i.Stack, Source: i.Source, Version: i.Version, Objects: len(i.Objects)})
	}
	return out
}

// divide tells the scopes that the record knows well enough from those to look at. One with
// an open action is always looked at.
func (e *Engine) divide(ctx context.Context, p *Planned, scopes []resource.Scope, doubts []doubt, maxAge time.Duration) (map[resource.Scope]resource.Snapshot, []resource.Scope, error) {
	fresh := map[resource.Scope]resource.Snapshot{}
	if maxAge <= 0 && p.eyes == nil {
		return fresh, scopes, nil
	}
	scans, err := e.cfg.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("the age of what is known: %w", err)
	}
	var stale []resource.Scope
	for _, s := range scopes {
		i := slices.IndexFunc(scans, func(scan ledger.Scan) bool { return scan.Scope == s })
		open := slices.ContainsFunc(doubts, func(d doubt) bool { return d.Ref.Scope() == s })
		late := p.eyes.take(s)
		if i < 0 || open && !p.eyes.helps() || !scans[i].Complete || !late && (maxAge <= 0 || p.At.Sub(scans[i].Seen) > maxAge) {
			stale = append(stale, s)
			continue
		}
		if fresh[s], err = e.cfg.Ledger.Snapshot(ctx, s); err != nil {
			return nil, nil, fmt.Errorf("what is known of %s: %w", s, err)
		}
	}
	return fresh, stale, nil
}

func looks(seen resource.World, fresh map[resource.Scope]resource.Snapshot) []Look {
	var out []Look
	for s, snapshot := range seen.Seen {
		out = append(out, Look{Scope: s, At: snapshot.At, Count: len(snapshot.Objects)})
	}
	for s, snapshot := range fresh {
		out = append(out, Look{Scope: s, At: snapshot.At, Count: len(snapshot.Objects), Recorded: true})
	}
	for s, err := range seen.Failed {
		out = append(out, Look{Scope: s, Err: err})
	}
	slices.SortFunc(out, func(a, b Look) int { return a.Scope.Compare(b.Scope) })
	return out
}
