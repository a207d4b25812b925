package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// OperatorAction is who requests an explicit action, and why.
type OperatorAction struct {
	Who    string
	Reason string
	// Sign signs it; nil: it is not signed.
	Sign Signing
}

// same reports whether two refs name one resource; the location of ref may be unresolved.
func same(located, ref resource.Ref) bool {
	return located == ref || located.Stack == ref.Stack && located.Provider == ref.Provider && located.Fits(ref.Location+"/"+ref.Kind+"/"+ref.Name)
}

// Bless protects a resource. It records that first, which is what counts, and then writes the mark
// if the kind can carry one.
func (e *Engine) Bless(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	blessed, err := e.signBlessing(ctx, event.Blessed{Ref: ref, On: true, Reason: a.Reason}, a)
	if err == nil {
		_, err = e.cfg.Ledger.Record(ctx, blessed)
	}
	if err != nil {
		return fmt.Errorf("bless %s: %w", ref, err)
	}
	if err := e.setBlessed(ctx, ref, true, a); err != nil {
		return fmt.Errorf("bless %s: the protection is recorded, but the tag could not be written; the next apply writes it: %w", ref, err)
	}
	return nil
}

// noResult is why nothing else is done with a resource on which an action is open.
func noResult() error {
	return resource.Advise(errors.New("an earlier action on it has no recorded result"), "run `ovi plan` first: it recovers the action")
}

// MarkedBlessed reports whether the resource had the blessed mark when last observed, so that
// Unbless must reach its provider. It observes nothing.
func (e *Engine) MarkedBlessed(ctx context.Context, ref resource.Ref) (bool, error) {
	t, err := e.cfg.Ledger.Resource(ctx, ref, storage.Now)
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
func (e *Engine) Unbless(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	unblessed, err := e.signBlessing(ctx, event.Blessed{Ref: ref, Reason: a.Reason}, a)
	if err != nil {
		return fmt.Errorf("unbless %s: it stays blessed: %w", ref, err)
	}
	marked, err := e.MarkedBlessed(ctx, ref)
	if err == nil && marked {
		err = e.setBlessed(ctx, ref, false, a)
	}
	if err != nil {
		return fmt.Errorf("unbless %s: it stays blessed: %w", ref, err)
	}
	if _, err = e.cfg.Ledger.Record(context.WithoutCancel(ctx), unblessed); err != nil {
		return fmt.Errorf("unbless %s: %w", ref, err)
	}
	return nil
}

// setBlessed writes or removes the blessed mark of a proven resource.
func (e *Engine) setBlessed(ctx context.Context, ref resource.Ref, on bool, a OperatorAction) error {
	p, err := e.observeScope(ctx, nil, ref.Scope(), false)
	if err != nil {
		return err
	}
	if _, open := p.open[ref]; open {
		return noResult()
	}
	have, ok := p.resourceAt(ref)
	if !ok || have.Marks.Blessed == on {
		return nil // it does not exist, or the mark is right already
	}
	_, err = e.mark(ctx, p, ref, have, a, resource.Change{
		On: resource.OnMark, Path: "blessed", From: resource.Bool(!on), To: resource.Bool(on),
	})
	return err
}

// observeScope reads one scope for an action of an operator.
func (e *Engine) observeScope(ctx context.Context, intents []resource.Intent, s resource.Scope, all bool) (*Planned, error) {
	p := e.newPlan(event.ForApply)
	p.Intents, p.allKinds = intents, all
	inner, err := e.recordedInsides(ctx)
	if err != nil {
		return nil, err
	}
	at := s
	if _, inside := inner[s]; !inside {
		if at, err = e.located(ctx, s); err != nil {
			return nil, e.locateError(s, err)
		}
	}
	if err := e.observe(ctx, p, &located{scopes: inner.withParents([]resource.Scope{at}), insides: inner}, 0); err != nil {
		return nil, err
	}
	return p, p.live.Unreachable[at]
}

// mark writes marks on an existing resource, under its claim and recorded. Kinds whose marks cannot
// be changed are left as they are.
func (e *Engine) mark(ctx context.Context, p *Planned, ref resource.Ref, have *resource.Observed, a OperatorAction, changes ...resource.Change) (resource.Observed, error) {
	if k, _ := e.cfg.Providers.Kind(ref.Provider, ref.Kind); k.Carrier != resource.Anytime {
		return *have, nil
	}
	message := "its ovi tags are set"
	if a.Reason != "" {
		message += ": " + a.Reason
	}
	return e.single(ctx, p, decider.Decision{
		Ref: ref, Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update,
		Reason: decider.ReasonChanged, Message: message, Observed: have, Desired: &resource.Desired{Ref: ref, Blessed: have.Marks.Blessed},
		Changes: changes,
	})
}

// single performs one decision for an operator, in the same way as an apply.
func (e *Engine) single(ctx context.Context, p *Planned, d decider.Decision) (resource.Observed, error) {
	p.Plan = decider.Plan{Decisions: []decider.Decision{d}}
	a := e.newApply(ctx, p, ApplyOptions{})
	a.operator = true
	out := a.act(&p.Plan.Decisions[0], decider.CreatePhase)
	if !out.Status.good() {
		return resource.Observed{}, errors.Join(fmt.Errorf("%s: %s", out.Status, out.Detail), out.Err)
	}
	return a.made[d.Ref], nil
}
