package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Forget ends the binding of a ref, or dismisses an ID that is not bound, so that it no longer
// blocks anything. The resource is not changed, and ovi does not change it later. It is recorded
// under the claim of the ref, so that no run which is about to destroy the resource still proves
// it. The event that was recorded is returned. An ID that neither is bound nor exists is an error,
// so that a typing mistake has no effect.
func (e *Operator) Forget(ctx context.Context, ref resource.Ref, id string, a OperatorAction) (event.Event, error) {
	if at, err := e.plan.Located(ctx, ref.Scope()); err == nil {
		ref.Location = at.Location
	}
	// An operator does not wait for claims of crashed runs on this host.
	e.plan.ReleaseDead(ctx)
	var record event.Event
	err := e.plan.Claims.Hold(ctx, ref.String(), func(ctx context.Context, c parts.Claim) (err error) {
		// The event is built under the claim, so that its facts still hold when it is recorded.
		if record, err = e.forgotten(ctx, ref, id, a); err != nil {
			return err
		}
		// The end of a binding may lower a protection, so a person signs it. A dismissed resource
		// has no binding.
		if d, is := record.(event.Disowned); is {
			d.SignedAt = e.signedAt(a)
			if record, err = signedAs(ctx, e, a, d); err != nil {
				return err
			}
		}
		_, err = e.plan.Ledger.RecordUnder(ctx, coordinator.Guard(c.Ref, c.Token), record)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("forget %s: %w", ref.Short(), err)
	}
	return record, nil
}

// forgotten is the event for a resource to forget: a bound one is disowned, any other dismissed.
func (e *Operator) forgotten(ctx context.Context, ref resource.Ref, id string, a OperatorAction) (event.Event, error) {
	if id == "" {
		b, err := e.plan.Ledger.Binding(ctx, ref)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil, resource.Advise(errors.New("no resource is recorded under that name"), "choose one with --id")
		}
		return event.Disowned{Ref: ref, ID: b.ID, Who: a.Who, Reason: a.Reason}, err
	}
	bindings, err := e.plan.Ledger.Bindings(ctx, ref.Scope())
	if err != nil {
		return nil, err
	}
	for _, b := range bindings {
		switch {
		// IDs of different kinds may be equal, so the kind is compared too.
		case b.ID != id || b.Ref.Kind != ref.Kind || !b.Live():
		case b.Ref == ref:
			return event.Disowned{Ref: ref, ID: id, Who: a.Who, Reason: a.Reason}, nil
		default:
			return nil, resource.Advise(fmt.Errorf("%s is %s of stack %s", id, b.Ref.Short(), b.Ref.Stack),
				"use `ovi forget "+b.Ref.ShortInStack()+"`")
		}
	}
	if err := e.exists(ctx, ref, id); err != nil {
		return nil, err
	}
	return event.Dismissed{Ref: ref, ID: id, Who: a.Who, Reason: a.Reason}, nil
}

// exists returns an error if no resource has an ID. It looks in the record first, and then reads all
// resources of the location. A recorded resource may be gone by now: the check finds typing
// mistakes, and proves no existence.
func (e *Operator) exists(ctx context.Context, ref resource.Ref, id string) error {
	has := func(s resource.Snapshot) bool {
		return slices.ContainsFunc(s.Resources, func(o resource.Observed) bool {
			return o.ID == id && o.Ref.Kind == ref.Kind
		})
	}
	recorded, err := e.plan.Ledger.Snapshot(ctx, ref.Scope())
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return err
	}
	if has(recorded) {
		return nil
	}
	p, err := e.plan.ObserveScope(ctx, nil, ref.Scope(), true)
	if err != nil {
		return err
	}
	if s := p.Live.Scopes[ref.Scope()]; !has(s) {
		// A kind that was not read in full proves no absence.
		if err := s.Covers(ref.Kind); err != nil {
			return err
		}
		return resource.Advise(fmt.Errorf("%s %s does not exist in %s", ref.Kind, id, ref.Scope()),
			"run `ovi inventory` to list the IDs of unmanaged resources")
	}
	return nil
}
