package trust

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
)

// Roster are the people and their public keys whose signatures count, sorted.
func (p *Proofs) Roster(ctx context.Context) ([]event.Signer, error) {
	found, err := acts[event.RosterChanged](ctx, p, rows.KeyRoster, true, func(string, error) {})
	return found[rows.RosterKey].Event.Signers, err
}
