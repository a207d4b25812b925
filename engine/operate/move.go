package operate

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Move changes the name or the stack of a bound resource within its location. The move is recorded
// first, under the claims of both names, so that no run acts on either meanwhile; if the marks
// cannot be written now, the next apply repairs them. After an error that mentions the tags the
// move itself is recorded; after any other error nothing is.
func (e *Operator) Move(ctx context.Context, from, to resource.Ref, a OperatorAction) error {
	return e.rename(ctx, "move", from, to, a, func(ctx context.Context, from, to resource.Ref) (event.Moved, error) {
		// Both claims are held here, so the answer holds until the move is recorded.
		b, err := e.plan.Ledger.Binding(ctx, from)
		if err != nil {
			return event.Moved{}, err
		}
		switch old, err := e.plan.Ledger.Binding(ctx, to); {
		case err == nil:
			return event.Moved{}, resource.Advise(fmt.Errorf("%s is recorded under the new name", old.ID),
				"use another name, move that one first, or exchange the names with --exchange")
		case !errors.Is(err, ledger.ErrNotFound):
			return event.Moved{}, err
		}
		moved := event.Moved{Ref: to, From: from, ID: b.ID, Who: a.Who, Reason: a.Reason}
		return moved, errors.Join(e.quiet(ctx, from), e.quiet(ctx, to))
	})
}

// Exchange exchanges the names of two bound resources of a location in one record, as Move does for one.
func (e *Operator) Exchange(ctx context.Context, one, other resource.Ref, a OperatorAction) error {
	read := func(ctx context.Context, one, other resource.Ref) (m event.Moved, err error) {
		ofOne, errOne := e.plan.Ledger.Binding(ctx, one)
		ofOther, errOther := e.plan.Ledger.Binding(ctx, other)
		m = event.Moved{Ref: other, From: one, ID: ofOne.ID, Who: a.Who, Reason: a.Reason}
		// Both moves are one event, so that no crash leaves two resources under one name.
		m.Other = &event.Moved{Ref: one, From: other, ID: ofOther.ID}
		return m, errors.Join(errOne, errOther, e.quiet(ctx, one), e.quiet(ctx, other))
	}
	return e.rename(ctx, "exchange", one, other, a, read)
}

// rename records what read returns under the claims of both names, and writes the marks.
func (e *Operator) rename(
	ctx context.Context, verb string, from, to resource.Ref, a OperatorAction,
	read func(ctx context.Context, from, to resource.Ref) (event.Moved, error),
) error {
	short := resource.Shorten([]resource.Ref{from, to}, nil)
	fail := func(err error) error { return fmt.Errorf("%s %s and %s: %w", verb, short(from), short(to), err) }
	if verb == "move" {
		fail = func(err error) error { return fmt.Errorf("move %s to %s: %w", short(from), short(to), err) }
	}
	if at, err := e.plan.Located(ctx, from.Scope()); err == nil {
		from.Location = at.Location
	}
	if at, err := e.plan.Located(ctx, to.Scope()); err == nil {
		to.Location = at.Location
	}
	if err := e.nameable(from, to); err != nil {
		return fail(err)
	}
	e.plan.ReleaseDead(ctx)
	var moved event.Moved
	err := e.plan.HoldBoth(ctx, from, to, func(ctx context.Context, c parts.Claim) (err error) {
		if moved, err = read(ctx, from, to); err != nil {
			return err
		}
		events, err := e.plan.Renaming(ctx, moved)
		if err != nil {
			return err
		}
		_, err = e.plan.Ledger.RecordUnder(ctx, coordinator.Guard(c.Ref, c.Token), events...)
		return err
	})
	if err != nil {
		return fail(err)
	}
	p, err := e.plan.ObserveScope(ctx, nil, to.Scope(), false)
	if err != nil {
		return nil //nolint:nilerr // the marks are repaired by the next apply
	}
	for _, m := range moved.Halves() {
		// A resource that was not observed keeps its old marks until the next apply repairs them.
		have, ok := p.ResourceAt(m.Ref)
		if !ok {
			continue
		}
		_, err = e.mark(ctx, p, m.Ref, have, a, resource.Change{
			On: resource.OnMark, Path: "ref", To: resource.String(m.Ref.Bare().String()),
		})
		if err != nil {
			return fail(fmt.Errorf(
				"the move is recorded, but the tags could not be written; the next apply writes them: %w", err))
		}
	}
	return nil
}

// nameable returns the reason why a resource cannot have a name. The name is checked as the kind checks configured
// names: a later configuration must be able to have it.
func (e *Operator) nameable(from, to resource.Ref) error {
	if from.Scope() != to.Scope() || from.Kind != to.Kind {
		return resource.Advise(errors.New("the kind and the location cannot change"),
			"use another name, or STACK:NAME for another stack")
	}
	if from == to {
		return resource.Advise(errors.New("it has that name already"), "use another name, or STACK:NAME for another stack")
	}
	kind := e.plan.Kind(to)
	checker, err := resource.NewChecker(kind)
	if err != nil {
		return err
	}
	wrong := checker.CheckName(to.Name)
	if len(wrong) == 0 {
		return nil
	}
	return resource.Advise(errors.New(wrong[0].Summary), wrong[0].Suggestion)
}

// quiet returns an error if a name has an open action or a replacement. The records of both have the name in them, and
// must end before it changes.
func (e *Operator) quiet(ctx context.Context, ref resource.Ref) error {
	if _, open, err := e.plan.Ledger.OpenOn(ctx, ref); err != nil || open {
		return errors.Join(err, noResult())
	}
	if _, open, err := e.plan.Ledger.Replacement(ctx, ref); err != nil || open {
		return errors.Join(err,
			resource.Advise(errors.New("it is being replaced"), "run `ovi apply` first: it finishes the replacement"))
	}
	return nil
}
