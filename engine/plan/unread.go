package plan

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
func (e *Planner) unread(ctx context.Context, p *Planning) ([]resource.Observed, error) {
	var out []resource.Observed
	add := func(s resource.Scope, unread func(kind string) bool) error {
		last, err := e.Ledger.Snapshot(ctx, s)
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
	for s, snapshot := range p.Live.Scopes {
		if len(snapshot.Unreachable) == 0 {
			continue
		}
		if err := add(s, func(kind string) bool { return snapshot.Unreachable[kind] != nil }); err != nil {
			return nil, err
		}
	}
	for s := range p.Live.Unreachable {
		if err := add(s, func(string) bool { return true }); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

// unreadDifferences are the resources of these stacks that could not be read and that nothing
// configures: they are not evaluated either, and would otherwise not be mentioned.
func unreadDifferences(p *Planning, unread []resource.Observed) []comparator.Difference {
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
		out = append(out, comparator.Difference{Type: comparator.Unreachable, Ref: o.Ref, Cause: p.Live.Covers(o.Ref)})
	}
	return out
}

// unlisted counts the recorded unmanaged resources that a plan did not see, because it did not read their
// kind or read it through a filter.
func (e *Planner) unlisted(ctx context.Context, p *Planning) (n int, err error) {
	for s, snapshot := range p.Live.Scopes {
		if snapshot.Complete == nil {
			continue
		}
		of := e.Providers[s.Provider]
		if of == nil {
			continue
		}
		for _, k := range of.Kinds() {
			filtered := slices.Contains(snapshot.Filtered, k.Name)
			if snapshot.Covers(k.Name) == nil && !filtered {
				continue
			}
			all, err := e.Ledger.UnmanagedOf(ctx, s, k.Name)
			if err != nil {
				return 0, fmt.Errorf("read the recorded %s in %s: %w", k.Name, s, err)
			}
			if n += all; !filtered {
				continue
			}
			for i := range snapshot.Resources {
				if o := &snapshot.Resources[i]; o.Ref.Kind == k.Name && !o.Managed() && o.Reported() {
					n--
				}
			}
		}
	}
	return n, nil
}
