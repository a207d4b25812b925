package history

import (
	"context"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Unmanaged are the resources that ovi neither created nor adopted, sorted by ref. All are read at
// one revision. Before is true where the store cannot tell when a resource appeared, so that an
// alert does not call it new. A resource that the first complete observation of its kind found is
// not called new either.
func (l *Reader) Unmanaged(ctx context.Context) ([]Unmanaged, error) {
	scans, rev, err := l.ScansAt(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	clock, err := l.clock(ctx)
	if err != nil {
		return nil, err
	}
	byScope := map[resource.Scope]ledger.Scan{}
	for _, s := range scans {
		byScope[s.Scope] = s
	}
	var out []Unmanaged
	var broken error
	err = l.Resources(ctx, rows.KeyResource, rev, func(o resource.Observed, e storage.Entry) {
		if o.Managed() || broken != nil {
			return
		}
		s := byScope[o.Ref.Scope()]
		born, exact, failed := clock.of(ctx, e.Created)
		if failed != nil {
			broken = failed
		}
		first := born.head.At
		since := s.Since(o.Ref.Kind)
		out = append(out, Unmanaged{o, first, !exact || since.IsZero() || !first.After(since), s.Listed(o.Ref.Kind)})
	})
	slices.SortFunc(out, func(a, b Unmanaged) int { return a.Ref.Compare(b.Ref) })
	return out, errors.Join(err, broken)
}
