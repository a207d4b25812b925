package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// keepActed corrects reports: what was acted on after a report was made stays as recorded, because
// the report does not show it yet. It changes live in place and returns the refs.
func (e *Recovery) keepActed(ctx context.Context, live resource.LiveState) (map[resource.Ref]bool, error) {
	at := map[resource.Scope]time.Time{}
	for s, snapshot := range live.Scopes {
		// Any other snapshot was read by a call of its own, and shows the results of all finished
		// actions.
		if snapshot.Reported {
			at[s] = snapshot.At
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	refs, err := e.Ledger.ActedAfter(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read the actions since the reports: %w", err)
	}
	var acted map[resource.Ref]bool
	for _, ref := range refs {
		if acted == nil {
			acted = map[resource.Ref]bool{}
		}
		acted[ref] = true
		snapshot := live.Scopes[ref.Scope()]
		if snapshot.Resources, err = e.asRecorded(ctx, snapshot.Resources, ref); err != nil {
			return nil, err
		}
		live.Scopes[ref.Scope()] = snapshot
	}
	return acted, nil
}

// asRecorded replaces the report's resource of a ref with the recorded one.
func (e *Recovery) asRecorded(
	ctx context.Context, reported []resource.Observed, ref resource.Ref,
) ([]resource.Observed, error) {
	bindings, err := e.Ledger.Bindings(ctx, ref.Scope())
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(slices.Clone(reported), func(o resource.Observed) bool {
		// The binding decides which ref a resource has, and its marks or natural name only without
		// a binding.
		if i := slices.IndexFunc(bindings, func(b resource.Binding) bool {
			return b.ID == o.ID && b.Ref.Kind == o.Ref.Kind && b.Live()
		}); i >= 0 {
			return bindings[i].Ref == ref
		}
		return o.Marks.Ref == ref || o.Marks.IsZero() && o.NaturalRef() == ref.Bare()
	})
	have, err := e.Ledger.Resource(ctx, ref, 0)
	if errors.Is(err, ledger.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what is recorded of %s: %w", ref, err)
	}
	// The resources of a snapshot are sorted by ref, and stay so.
	i, _ := slices.BinarySearchFunc(out, ref, func(o resource.Observed, r resource.Ref) int { return o.Ref.Compare(r) })
	return slices.Insert(out, i, have.Observed), nil
}
