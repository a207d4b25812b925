package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// Forget ends the binding of a ref, or dismisses an ID that is not bound, so that it no longer
// blocks anything. The resource is not changed, and ovi does not change it later. It is recorded
// under the claim of the ref, so that no run which is about to destroy the resource still proves it.
func (e *Engine) Forget(ctx context.Context, ref resource.Ref, id string, a OperatorAction) (event.Event, error) {
	if at, err := e.located(ctx, ref.Scope()); err == nil {
		ref.Location = at.Location
	}
	var record event.Event
	err := e.claimed(ctx, ref, func(ctx context.Context) (_ event.Event, err error) {
		record, err = e.forgotten(ctx, ref, id, a)
		return record, err
	})
	if err != nil {
		return nil, fmt.Errorf("forget %s: %w", ref.Short(), err)
	}
	return record, nil
}

// forgotten is the event for a resource to forget: a bound one is disowned, any other dismissed.
func (e *Engine) forgotten(ctx context.Context, ref resource.Ref, id string, a OperatorAction) (event.Event, error) {
	if id == "" {
		b, err := e.cfg.Ledger.Binding(ctx, ref)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil, resource.Advise(errors.New("no resource is recorded under that name"), "choose one with --id")
		}
		return event.Disowned{Ref: ref, ID: b.ID, Who: a.Who, Reason: a.Reason}, err
	}
	bindings, err := e.cfg.Ledger.Bindings(ctx, ref.Scope())
	for _, b := range bindings {
		if b.Ref == ref && b.ID == id && b.Live() {
			return event.Disowned{Ref: ref, ID: id, Who: a.Who, Reason: a.Reason}, nil
		}
	}
	return event.Dismissed{Ref: ref, ID: id, Who: a.Who, Reason: a.Reason}, err
}

// claimed records an event under the claim of a ref.
func (e *Engine) claimed(ctx context.Context, ref resource.Ref, build func(context.Context) (event.Event, error)) error {
	e.ReleaseDead(ctx)
	return e.cfg.Claims.Hold(ctx, ref.String(), func(ctx context.Context, c Claim) error {
		record, err := build(ctx)
		if err == nil {
			_, err = e.cfg.Ledger.RecordUnder(ctx, coordinator.Guard(c.Ref, c.Token), record)
		}
		return err
	})
}

// Move gives a bound resource another name in its location, or another stack. The move is
// recorded first; if the marks cannot be written now, the next apply repairs them.
func (e *Engine) Move(ctx context.Context, from, to resource.Ref, a OperatorAction) error {
	short := resource.Shorten([]resource.Ref{from, to}, nil)
	fail := func(err error) error { return fmt.Errorf("move %s to %s: %w", short(from), short(to), err) }
	if at, err := e.located(ctx, from.Scope()); err == nil {
		from.Location = at.Location
	}
	if at, err := e.located(ctx, to.Scope()); err == nil {
		to.Location = at.Location
	}
	if from.Scope() != to.Scope() || from.Kind != to.Kind {
		return fail(resource.Advise(errors.New("the kind and the location cannot change"), "use another name, or STACK:NAME for another stack"))
	}
	b, err := e.cfg.Ledger.Binding(ctx, from)
	if err != nil {
		return fail(err)
	}
	if from == to {
		return fail(resource.Advise(errors.New("it has that name already"), "use another name, or STACK:NAME for another stack"))
	}
	if old, err := e.cfg.Ledger.Binding(ctx, to); err == nil {
		return fail(resource.Advise(fmt.Errorf("%s is recorded under the new name", old.ID), "use another name, or move that one first"))
	}
	if _, open, err := e.cfg.Ledger.OpenOn(ctx, from); err != nil || open {
		return fail(errors.Join(err, noResult()))
	}
	if _, open, err := e.cfg.Ledger.Replacement(ctx, from); err != nil || open {
		return fail(errors.Join(err, resource.Advise(errors.New("it is being replaced"), "run `ovi apply` first: it finishes the replacement")))
	}
	err = e.claimed(ctx, from, func(context.Context) (event.Event, error) {
		return event.Moved{Ref: to, From: from, ID: b.ID, Who: a.Who, Reason: a.Reason}, nil
	})
	if err != nil {
		return fail(err)
	}
	p, err := e.observeScope(ctx, nil, to.Scope(), false)
	if err != nil {
		return nil //nolint:nilerr // the marks are repaired by the next apply
	}
	if have, ok := p.resourceAt(to); ok {
		_, err = e.mark(ctx, p, to, have, a, resource.Change{On: resource.OnMark, Path: "ref", To: resource.String(to.Bare().String())})
		if err != nil {
			return fail(fmt.Errorf("the move is recorded, but the tags could not be written; the next apply writes them: %w", err))
		}
	}
	return nil
}
