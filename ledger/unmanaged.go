package ledger

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Unmanaged are the things nobody manages, sorted by ref.
func (l *Ledger) Unmanaged(ctx context.Context) ([]Unmanaged, error) {
	scans, rev, err := l.scans(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	clock, err := l.timeline(ctx)
	if err != nil {
		return nil, err
	}
	byScope := map[resource.Scope]Scan{}
	for _, s := range scans {
		byScope[s.Scope] = s
	}
	var out []Unmanaged
	err = l.things(ctx, keyThing, rev, func(o resource.Observed, e storage.Entry) {
		if o.Managed {
			return
		}
		s := byScope[o.Ref.Scope()]
		first, exact := clock.of(e.Created)
		out = append(out, Unmanaged{o, first, !exact || !first.After(s.First), s.Seen})
	})
	slices.SortFunc(out, func(a, b Unmanaged) int { return a.Ref.Compare(b.Ref) })
	return out, err
}
