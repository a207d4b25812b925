package record

import (
	"context"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/trust"
)

// ErrRosterMoved is returned for a change of a roster that is another by now.
var ErrRosterMoved = errors.New("the roster was changed meanwhile")

// ChangeRoster records a change of the roster. It returns ErrRosterMoved if the roster is not the one
// that the change starts from, and what RosterChanged.Check returns.
func (w *Writer) ChangeRoster(ctx context.Context, e event.RosterChanged) error {
	_, err := w.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		now, err := w.proofs.Roster(ctx)
		if err == nil && !slices.Equal(now, e.Before) {
			err = ErrRosterMoved
		}
		if err == nil {
			err = e.Check(w.Instance())
		}
		if err == nil && e.Recovers != "" {
			err = recovers(ctx, w, e)
		}
		return []event.Event{e}, err
	}})
	return err
}

// recovers fails if no recovery of this instance allows a change of the roster now.
func recovers(ctx context.Context, w *Writer, e event.RosterChanged) error {
	r, err := trust.RecoveryOf(ctx, w.proofs, false)
	if err == nil && (r == nil || r.Instance != w.Instance() || r.Digest != e.Recovers || r.Signer != e.Signer ||
		!slices.Equal(r.Before, e.Before) || w.cfg.Clock().Before(r.Counts)) {
		err = event.ErrNoRecovery
	}
	return err
}

// AskRecovery records that a recovery of the roster is asked for, or that one which stands is canceled. It returns
// ErrRosterMoved if the roster is not the one that it starts from, and what RecoveryAsked.Check returns.
func (w *Writer) AskRecovery(ctx context.Context, e event.RecoveryAsked) error {
	_, err := w.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		now, err := w.proofs.Roster(ctx)
		if err == nil && !slices.Equal(now, e.Before) {
			err = ErrRosterMoved
		}
		if err == nil {
			err = e.Check(w.Instance())
		}
		return []event.Event{e}, err
	}})
	return err
}

// Cosign records how far the logs of the other instances reached that the store has, and puts it into
// the store with the signature of this one: see Cosigned. It records a log that moved at most once an
// hour; soon asks for it now. In a store of one instance it does nothing.
func (w *Writer) Cosign(ctx context.Context, soon bool) error {
	if !w.cfg.Shared {
		return nil
	}
	due, err := w.proofs.ToCosign(ctx, soon) // mostly nothing: then the append lock is not needed
	if err != nil || len(due) == 0 {
		return err
	}
	_, err = w.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		return w.proofs.ToCosign(ctx, soon)
	}})
	return err
}
