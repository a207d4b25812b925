package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ManagedPath is the Path of the change that puts ovi's marks on a thing that has none.
const ManagedPath = "ovi:managed"

// OperatorAction is an explicit human act: who does it, and why.
type OperatorAction struct {
	Who    string
	Reason string
}

// Adopt puts ovi's marks on the thing that stands where a wish is and carries none. What else
// differs is for the next plan.
func (e *Engine) Adopt(ctx context.Context, intents []resource.Intent, ref resource.Ref, a OperatorAction) (resource.Observed, error) {
	p, err := e.Plan(ctx, intents, PlanOptions{})
	if err != nil {
		return resource.Observed{}, err
	}
	for i := range p.Plan.Decisions {
		d := p.Plan.Decisions[i]
		if d.Desired == nil || !same(d.Ref, ref) {
			continue
		}
		if d.Difference != comparator.Conflict || d.Observed == nil || d.Observed.Managed {
			return resource.Observed{}, fmt.Errorf("adopt %s: it is %s: %s", ref, d.Difference, d.Message)
		}
		d.Desired = &resource.Desired{Ref: d.Ref, Blessed: d.Desired.Blessed} // the marks, and nothing else
		d.Action, d.Changes, d.Message = decider.Update, []resource.Change{{Path: ManagedPath, To: resource.Bool(true)}}, a.Reason
		o, err := e.single(ctx, p, d)
		if err != nil {
			return resource.Observed{}, fmt.Errorf("adopt %s: %w", ref, err)
		}
		_, err = e.cfg.Ledger.Record(context.WithoutCancel(ctx), event.Adopted{Ref: d.Ref, ID: o.ID, Stack: d.Stack, Who: a.Who, Reason: a.Reason})
		return o, err
	}
	return resource.Observed{}, fmt.Errorf("adopt %s: nothing to adopt: it is as wanted, or it is not wanted by what was read", ref)
}

// same says that two refs name one thing, the place as people write it or as it is.
func same(located, ref resource.Ref) bool {
	return located == ref || located.Provider == ref.Provider && history.Fits(located, ref.Location+"/"+ref.Kind+"/"+ref.Name)
}

// Bless protects a thing: on record first, which is what counts, and then by a mark where it
// exists and is ours.
func (e *Engine) Bless(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	if _, err := e.cfg.Ledger.Record(ctx, event.Blessed{Ref: ref, On: true, Who: a.Who, Reason: a.Reason}); err != nil {
		return fmt.Errorf("bless %s: %w", ref, err)
	}
	if err := e.setBlessed(ctx, ref, true, a); err != nil {
		return fmt.Errorf("bless %s: it is protected on record, but carries no mark yet, the next apply puts it on: %w", ref, err)
	}
	return nil
}

// MarkedBlessed says that the thing carried the mark of the blessed when it was last seen: to take the
// blessing away, its provider must be reached. Nothing is looked at.
func (e *Engine) MarkedBlessed(ctx context.Context, ref resource.Ref) (bool, error) {
	t, err := e.cfg.Ledger.Resource(ctx, ref, storage.Now)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("what is on record of %s: %w", ref, err)
	}
	return t.Managed && t.Observed.Blessed, nil
}

// Unbless takes the protection away: first the mark, then the record, so that a failure leaves
// it protected. No provider is asked about a thing that carried no mark when it was last seen:
// a mark put on since protects it until it is taken off too.
func (e *Engine) Unbless(ctx context.Context, ref resource.Ref, a OperatorAction) error {
	marked, err := e.MarkedBlessed(ctx, ref)
	if err == nil && marked {
		err = e.setBlessed(ctx, ref, false, a)
	}
	if err != nil {
		return fmt.Errorf("unbless %s: it stays blessed: %w", ref, err)
	}
	_, err = e.cfg.Ledger.Record(context.WithoutCancel(ctx), event.Blessed{Ref: ref, On: false, Who: a.Who, Reason: a.Reason})
	if err != nil {
		return fmt.Errorf("unbless %s: %w", ref, err)
	}
	return nil
}

// setBlessed puts the blessed mark on a thing of ours, or takes it off.
func (e *Engine) setBlessed(ctx context.Context, ref resource.Ref, on bool, a OperatorAction) error {
	p := e.newPlan(event.ForApply)
	if err := e.observe(ctx, p, &located{scopes: []resource.Scope{ref.Scope()}}, 0); err != nil {
		return err
	}
	if err := p.live.Unreachable[ref.Scope()]; err != nil {
		return err
	}
	if _, open := p.open[ref]; open {
		return errors.New("an earlier action on it has no known end: run ovi plan first")
	}
	there, ok := p.resourceAt(ref)
	if !ok || there.Blessed == on {
		return nil // nothing there that carries our marks, or it is as it should be
	}
	_, err := e.single(ctx, p, decider.Decision{
		Ref: ref, Stack: there.Stack, Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update,
		Reason: decider.ReasonChanged, Message: a.Reason, Observed: there, Desired: &resource.Desired{Ref: ref, Blessed: on},
		Changes: []resource.Change{{Path: comparator.BlessedPath, From: resource.Bool(!on), To: resource.Bool(on)}},
	})
	return err
}

// single does one decision that a human asked for, with all the care of an apply.
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
