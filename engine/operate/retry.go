package operate

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Retry allows new attempts of a configuration that failed too often, new restarts of a resource
// that did not stay in its state, and updates at once of a value that was set back. It records the
// act alone; the next plan proposes the attempt. Without anything to allow it is an error.
func (e *Operator) Retry(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	if at, err := e.plan.Located(ctx, ref.Scope()); err == nil {
		ref.Location = at.Location
	}
	tries, err := e.plan.Ledger.Attempts(ctx)
	if err != nil {
		return fmt.Errorf("retry %s: %w", ref.Short(), err)
	}
	restarts, err := e.plan.Ledger.Restarts(ctx)
	if err != nil {
		return fmt.Errorf("retry %s: %w", ref.Short(), err)
	}
	fights, err := e.plan.Ledger.Fights(ctx)
	if err != nil {
		return fmt.Errorf("retry %s: %w", ref.Short(), err)
	}
	// An act without an effect would read as if a failure had been forgotten.
	if t := tries[ref]; !slices.ContainsFunc(t, func(x ledger.Tries) bool { return x.Any() }) &&
		len(restarts[ref].At) == 0 && len(fights[ref].Values) == 0 {
		return resource.Advise(fmt.Errorf("retry %s: no attempt of its configuration failed", ref.Short()),
			"none needed: run `ovi apply`")
	}
	if _, err := e.plan.Ledger.Record(ctx, event.Retried{Ref: ref, Who: a.Who, Reason: a.Reason}); err != nil {
		return fmt.Errorf("retry %s: %w", ref.Short(), err)
	}
	return nil
}
