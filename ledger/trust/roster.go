package trust

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
)

// ErrNoRoster is returned if the environment names people, and none of them made a roster that is recorded.
var ErrNoRoster = errors.New("OVI_SIGNERS_FILE names people, and none of them made a roster that is recorded here")

// Roster are the people and their public keys whose signatures count, sorted. ErrNoRoster prevents an
// instance whose log and store have no roster from asking for no signatures, although its environment names
// people.
func (p *Proofs) Roster(ctx context.Context) ([]event.Signer, error) {
	found, err := acts[event.RosterChanged](ctx, p, rows.KeyRoster, true, func(string, error) {})
	roster := found[rows.RosterKey].Event.Signers
	if err == nil && len(roster) == 0 && p.people != nil {
		err = ErrNoRoster
	}
	return roster, err
}
