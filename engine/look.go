package engine

import (
	"context"
	"fmt"
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
	seen := e.observer.Observe(ctx, stale)
	for s, err := range places.failed {
		seen.Failed[s] = err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped while looking: %w", context.Cause(ctx))
	}
	if _, err := e.cfg.Ledger.RecordWorld(ctx, seen, p.Revision); err != nil {
		return fmt.Errorf("record what was seen: %w", err)
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

// divide tells the scopes that the record knows well enough from those to look at. One with
// an open action is always looked at.
func (e *Engine) divide(ctx context.Context, p *Planned, scopes []resource.Scope, doubts []doubt, maxAge time.Duration) (map[resource.Scope]resource.Snapshot, []resource.Scope, error) {
	fresh := map[resource.Scope]resource.Snapshot{}
	if maxAge <= 0 {
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
		if i < 0 || open || !scans[i].Complete || p.At.Sub(scans[i].Seen) > maxAge {
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
