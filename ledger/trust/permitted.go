package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ErrBound is returned for an adoption of a resource that another ref has.
var ErrBound = errors.New("ledger: the resource is recorded under another name")

// Permitted refuses to adopt an id that is bound to another ref, unless that binding ends in the same batch, to
// start an action with approvals that another plan used, and to lower a protection without a signature. The caller
// holds the append lock of the log, and the store has all of its records. Events are checked in order, so an end
// must come before the adoption that depends on it.
func (p *Proofs) Permitted(ctx context.Context, events []event.Event) error {
	if err := errors.Join(guarded(ctx, p, events), laterNumbers(ctx, p, events)); err != nil {
		return err
	}
	ended := map[resource.Ref]bool{}
	for _, e := range events {
		switch e := e.(type) {
		case event.Started:
			if err := p.unused(ctx, e); err != nil {
				return err
			}
		case event.Disowned:
			ended[e.Ref] = true
		case event.Lost:
			ended[e.Ref] = true
		case event.Adopted:
			var was resource.Ref
			found, err := p.Load(ctx, rows.IdentityOf(e.Ref, e.ID), storage.Now, &was)
			if err != nil {
				return err
			}
			if found && was != e.Ref && !ended[was] {
				return fmt.Errorf("%w: %s is %s", ErrBound, e.ID, was)
			}
		}
	}
	return nil
}

// Guards are the people without whose signature no act that may lower a protection counts. If
// there are none, no signature is needed. A roster that only a pinned key signed demands signatures too, and no key on
// it is on the Roster.
func (p *Proofs) Guards(ctx context.Context) ([]event.Signer, error) {
	roster, err := p.Roster(ctx)
	if err != nil || len(roster) > 0 || !p.shared {
		return roster, err
	}
	e, err := p.Get(ctx, rows.RosterKey, storage.Now)
	var a rows.Act[event.RosterChanged]
	if err != nil || e.Value == nil || json.Unmarshal(e.Value, &a) != nil {
		return nil, err
	}
	if err := actThere(ctx, p, rows.RosterKey, a, false); err != nil {
		if errors.Is(err, ErrUnproven) {
			return nil, nil
		}
		return nil, err
	}
	return a.Event.Signers, nil
}

// guarded refuses acts that may lower a protection without the signature of a person, once there is a roster. If
// only a pinned key signed the roster, Guards has people and Roster has none: then no signature suffices until an
// operator confirms the key.
func guarded(ctx context.Context, p *Proofs, events []event.Event) error {
	for _, e := range events {
		g, is := e.(event.Guarded)
		if !is || !lowers(e, events) {
			continue
		}
		guards, err := p.Guards(ctx)
		if err != nil || len(guards) == 0 {
			return err
		}
		roster, err := p.Roster(ctx)
		if err != nil {
			return err
		}
		if err := signedOn(roster, g, p.Instance()); err != nil {
			return err
		}
	}
	return nil
}
