package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// unread lists the resources of kinds and locations that could not be read now, as last observed:
// nothing that they depend on may be destroyed. A plan of the past has none.
func (e *Engine) unread(ctx context.Context, p *Planned) ([]resource.Observed, error) {
	var out []resource.Observed
	add := func(s resource.Scope, unread func(kind string) bool) error {
		last, err := e.cfg.Ledger.Snapshot(ctx, s)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil // never observed in full
		}
		if err != nil {
			return fmt.Errorf("read what was last observed in %s: %w", s, err)
		}
		for i := range last.Resources {
			if o := &last.Resources[i]; unread(o.Ref.Kind) {
				out = append(out, *o)
			}
		}
		return nil
	}
	if p.Past {
		return nil, nil
	}
	for s, snapshot := range p.live.Scopes {
		if len(snapshot.Unreachable) == 0 {
			continue
		}
		if err := add(s, func(kind string) bool { return snapshot.Unreachable[kind] != nil }); err != nil {
			return nil, err
		}
	}
	for s := range p.live.Unreachable {
		if err := add(s, func(string) bool { return true }); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

// unreadDifferences are the resources of these stacks that could not be read and that nothing
// configures: they are not evaluated either, and would otherwise not be mentioned.
func unreadDifferences(p *Planned, unread []resource.Observed) []comparator.Difference {
	configured := map[resource.Ref]bool{}
	for _, in := range p.Intents {
		for i := range in.Resources {
			configured[in.Resources[i].Ref] = true
		}
	}
	var out []comparator.Difference
	for i := range unread {
		o := &unread[i]
		if !o.Managed() || configured[o.Ref] || !slices.Contains(p.Stacks, o.Ref.Stack) {
			continue
		}
		out = append(out, comparator.Difference{Type: comparator.Unreachable, Ref: o.Ref, Cause: p.live.Covers(o.Ref)})
	}
	return out
}
