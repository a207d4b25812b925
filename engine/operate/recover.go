package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/trust"
)

// RecoverRoster puts a key on the roster whose keys are all lost. The first call asks for it and changes nothing: every
// instance of the store alerts about it, and each key on the roster can cancel it. A later call of this instance, after
// event.RecoveryWait, puts the key on, and returns the change; until then it returns the recovery that stands. A call
// with another key replaces a recovery that stands.
func (e *Operator) RecoverRoster(
	ctx context.Context, s event.Signer, a OperatorAction,
) (*trust.Recovery, *event.RosterChanged, error) {
	before, err := e.plan.Ledger.Roster(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the roster: %w", err)
	}
	stands, err := e.plan.Ledger.Recovery(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the recovery of the roster: %w", err)
	}
	// Only the recovery that this instance asked for can be completed by it, for the same key and from the same roster.
	here := stands != nil && stands.Instance == e.plan.Ledger.Instance() && stands.Signer == s &&
		slices.Equal(stands.Before, before)
	// A repeated call does not start the wait again.
	if here && e.plan.Now().Before(stands.Counts) {
		return stands, nil, nil
	}
	if here {
		out := event.RosterChanged{
			Signer: s, On: true, Before: before, Who: a.Who, Reason: a.Reason, Recovers: stands.Digest,
		}
		out.Signers = out.After()
		if err := e.plan.Ledger.ChangeRoster(ctx, out); err != nil {
			return nil, nil, fmt.Errorf("change the roster: %w", err)
		}
		return nil, &out, nil
	}
	// The ledger refuses it if the roster was changed since it was read.
	asked := event.RecoveryAsked{Signer: s, On: true, Before: before, Who: a.Who, Reason: a.Reason}
	if err := e.plan.Ledger.AskRecovery(ctx, asked); err != nil {
		return nil, nil, fmt.Errorf("ask for a recovery of the roster: %w", err)
	}
	stands, err = e.plan.Ledger.Recovery(ctx)
	return stands, nil, err
}

// CancelRecovery cancels the recovery of the roster that stands, with the signature of a person on the roster.
func (e *Operator) CancelRecovery(ctx context.Context, a OperatorAction) (event.RecoveryAsked, error) {
	var out event.RecoveryAsked
	stands, err := e.plan.Ledger.Recovery(ctx)
	if err != nil {
		return out, fmt.Errorf("read the recovery of the roster: %w", err)
	}
	if stands == nil {
		return out, ErrNothingToCancel
	}
	out = event.RecoveryAsked{Signer: stands.Signer, Before: stands.Before, Who: a.Who, Reason: a.Reason}
	out.SignedBy, out.Who, err = e.signed(ctx, a, true, func(who string) []byte {
		out.Who = who
		return out.Statement(e.plan.Ledger.Instance())
	})
	if err == nil {
		err = e.plan.Ledger.AskRecovery(ctx, out)
	}
	if err != nil {
		err = fmt.Errorf("cancel the recovery of the roster: %w", err)
	}
	return out, err
}

// ErrNothingToCancel is returned where no recovery of the roster stands.
var ErrNothingToCancel = errors.New("no recovery of the roster stands")
