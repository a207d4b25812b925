package operate

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/apply"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Operator performs explicit actions of operators. It observes as a plan does, and writes marks as an apply does.
type Operator struct{ plan *plan.Planner }

// New makes an operator.
func New(p *plan.Planner) *Operator { return &Operator{p} }

// OperatorAction names who requests an explicit action, and the reason.
type OperatorAction struct {
	Who    string
	Reason string
	// Sign signs the action. If nil, the action is not signed.
	Sign Signing
}

// Bless protects a resource. It records the blessing first, because only the record counts, and
// then writes the mark if the kind can carry one. If the mark cannot be written, the resource is
// protected all the same.
func (e *Operator) Bless(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	blessed, err := e.signBlessing(ctx, event.Blessed{Ref: ref, On: true, Reason: a.Reason}, a)
	if err == nil {
		_, err = e.plan.Ledger.Record(ctx, blessed)
	}
	if err != nil {
		return fmt.Errorf("bless %s: %w", ref, err)
	}
	if err := e.setBlessed(ctx, ref, true, a); err != nil {
		return fmt.Errorf(
			"bless %s: the protection is recorded, but the tag could not be written; the next apply writes it: %w", ref, err)
	}
	return nil
}

// noResult returns the refusal to touch a resource on which an action is open.
func noResult() error {
	return resource.Advise(errors.New("an earlier action on it has no recorded result"),
		"run `ovi plan` first: it recovers the action")
}

// MarkedBlessed reports whether the resource had the blessed mark when last observed, so that
// Unbless must reach its provider. It observes nothing.
func (e *Operator) MarkedBlessed(ctx context.Context, ref resource.Ref) (bool, error) {
	t, err := e.plan.Ledger.Resource(ctx, ref, storage.Now)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the recorded state of %s: %w", ref, err)
	}
	return t.Managed() && t.Marks.Blessed, nil
}

// Unbless removes the protection: first the mark, then the recorded blessing, so that the resource
// stays protected if it fails. If the resource had no mark when last observed, no provider is
// called.
func (e *Operator) Unbless(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	unblessed, err := e.signBlessing(ctx, event.Blessed{Ref: ref, Reason: a.Reason}, a)
	if err != nil {
		return fmt.Errorf("unbless %s: it stays blessed: %w", ref, err)
	}
	// Without an observed mark no provider needs to answer.
	marked, err := e.MarkedBlessed(ctx, ref)
	if err == nil && marked {
		err = e.setBlessed(ctx, ref, false, a)
	}
	if err != nil {
		return fmt.Errorf("unbless %s: it stays blessed: %w", ref, err)
	}
	if _, err = e.plan.Ledger.Record(context.WithoutCancel(ctx), unblessed); err != nil {
		return fmt.Errorf("unbless %s: %w", ref, err)
	}
	return nil
}

// setBlessed writes or removes the blessed mark of a proven resource. A resource that does not
// exist or has the mark already is success.
func (e *Operator) setBlessed(ctx context.Context, ref resource.Ref, on bool, a OperatorAction) error {
	p, err := e.plan.ObserveScope(ctx, nil, ref.Scope(), false)
	if err != nil {
		return err
	}
	// The open action must be recovered first, because its effect is unknown.
	if _, open := p.Open[ref]; open {
		return noResult()
	}
	have, ok := p.ResourceAt(ref)
	if !ok || have.Marks.Blessed == on {
		return nil // it does not exist, or the mark is right already
	}
	_, err = e.mark(ctx, p, ref, have, a, resource.Change{
		On: resource.OnMark, Path: "blessed", From: resource.Bool(!on), To: resource.Bool(on),
	})
	return err
}

// mark writes marks on an existing resource, under its claim and recorded. It does nothing for kinds whose
// marks cannot be changed.
func (e *Operator) mark(
	ctx context.Context, p *plan.Planned, ref resource.Ref, have *resource.Observed, a OperatorAction,
	changes ...resource.Change,
) (resource.Observed, error) {
	if k := e.plan.Kind(ref); k.Carrier != resource.Anytime {
		return *have, nil
	}
	message := "its ovi tags are set"
	if a.Reason != "" {
		message += ": " + a.Reason
	}
	// No comparison made this decision. It takes the claim, checks for other runs and is recorded like any action of an
	// apply.
	return apply.Single(ctx, e.plan.Recovery, p, decider.Decision{
		Ref: ref, Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update,
		Reason: decider.ReasonChanged, Message: message, Observed: have,
		Desired: &resource.Desired{Ref: ref, Blessed: have.Marks.Blessed},
		Changes: changes,
	})
}
