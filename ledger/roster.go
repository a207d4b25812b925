package ledger

import (
	"context"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
)

// Roster are the people and their public keys whose signatures count, sorted.
func (l *Ledger) Roster(ctx context.Context) ([]event.Signer, error) {
	found, err := acts[event.RosterChanged](ctx, l, rows.KeyRoster, true, func(string, error) {})
	return found[rows.RosterKey].Event.Signers, err
}

// ErrRosterMoved is returned for a change of a roster that is another by now.
var ErrRosterMoved = errors.New("the roster was changed meanwhile")

// ChangeRoster records a change of the roster. It returns ErrRosterMoved if the roster is not the one
// that the change starts from, and what RosterChanged.Check returns.
func (l *Ledger) ChangeRoster(ctx context.Context, e event.RosterChanged) error {
	_, err := l.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		now, err := l.Roster(ctx)
		if err == nil && !slices.Equal(now, e.Before) {
			err = ErrRosterMoved
		}
		if err == nil {
			err = e.Check(l.instance)
		}
		return []event.Event{e}, err
	}})
	return err
}
