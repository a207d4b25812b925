package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// loadStates reads what the states of resources are judged by.
func (m *memory) loadStates(ctx context.Context, r *ledger.Reader, at storage.Revision) (err error) {
	if m.down, err = r.Down(ctx, at); err != nil {
		return fmt.Errorf("read what is not healthy: %w", err)
	}
	if m.restarts, err = r.Restarts(ctx); err != nil {
		return fmt.Errorf("read the restarts: %w", err)
	}
	return nil
}

// starting returns a function that reports whether a pending resource has not been pending for
// longer than the grace of its kind.
func (m *memory) starting(kinds decider.Kinds, now time.Time) func(*resource.Observed) bool {
	return func(o *resource.Observed) bool {
		d, known := m.down[o.Ref]
		if !known || d.Health != resource.Pending {
			return true
		}
		k, _ := kinds(o.Ref.Provider, o.Ref.Kind)
		return now.Sub(d.Since) < k.Pends()
	}
}

// restartsOf returns the restarts of a resource because of its state.
func (m *memory) restartsOf(ref resource.Ref) (decider.Restarts, bool) {
	r, ok := m.restarts[ref]
	return decider.Restarts{Desired: r.Desired, At: r.At, Down: m.down[ref].Down}, ok
}
