package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
)

// good returns the event for an action after which the resource is healthy. If the record cannot be
// read, that is left to the recording of the result, which then fails too.
func (a *apply) good(ctx context.Context, b event.Started, end event.Finished) []event.Event {
	if end.Outcome != event.Done || end.Resource == nil || b.Applying == nil || b.Step != "" {
		return nil
	}
	good, _ := a.engine.LastGood(context.WithoutCancel(ctx), end.Ref, end.Resource, *b.Applying)
	return good
}

// perform performs one phase of a decision: it records the start, calls the provider and records
// the result. ctx ends when the claim is lost.
//
// Recovery relies on the order. The start is recorded under the claim before the provider is
// called, so a crash leaves an open action and never an unknown one. The result is recorded under
// the same claim: after the claim is lost it is refused, and another instance has recovered the
// action from an observation, or will. The check before a delete-first replacement prevents the
// deletion of a resource whose successor would be refused.
func (a *apply) perform(ctx context.Context, c parts.Claim, d *decider.Decision, phase decider.Phase) Outcome {
	if a.inSteps(d) {
		return a.replace(ctx, c, d, phase)
	}
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Failed}
	if d.Action == decider.Forget {
		return renamer{a}.forget(ctx, c, d, out)
	}
	if d.OnlyRenames() && len(d.Changes) == 0 { // the record has the new name, and nothing else has it
		out.Status, out.ID = Done, d.Observed.ID
		a.noteResource(d.Ref, d.Observed)
		return out
	}
	r, err := a.request(ctx, c, d, phase)
	closing := a.closing(d, phase)
	// A resource that is deleted, or that ends a replacement, must be proven now and not only when
	// the plan was made.
	if err == nil && d.Observed != nil && (phase == decider.DeletePhase || len(closing) > 0) {
		err = a.prove(ctx, d.Ref, d.Observed.ID)
	}
	if err != nil {
		return notStartable(ctx, out, err)
	}
	if phase == decider.DeletePhase && d.Action == decider.Replace && d.Desired != nil { // the old one is deleted first
		err = a.ask(ctx, d, *r)
	}
	if err != nil && stopped(ctx, &out) {
		return out
	}
	if err != nil {
		out.Status, out.Err, out.Detail, out.Cause = Refused, err, "nothing was changed: "+refusal(err), provider.CauseOf(err)
		return out
	}
	started := a.startedEvent(c, d, phase, r)
	guard := coordinator.Guard(c.Ref, c.Token)
	at, err := a.recordStart(ctx, phaseOf{d.Ref, phase}, guard, append(closing, started)...)
	if err != nil {
		return a.notStarted(out, err)
	}
	start := a.engine.Clock()
	res, tries, err := a.callAlone(ctx, at, started, verbOf(d.Action, phase), r)
	err = quiet(a.engine, err, r)
	if errors.Is(err, provider.ErrReplace) {
		err = fmt.Errorf("%w; the next plan proposes that", err)
	}
	end := a.finishedEvent(ctx, started, res, tries, err)
	if errors.Is(err, provider.ErrReplace) && verbOf(d.Action, phase) == update {
		// The record of these attributes makes the next plan propose a replacement.
		end.RecreateOnly = attributes(d.Changes)
	}
	err = a.accept(&end, d, verbOf(d.Action, phase), err)
	end.Seconds = a.engine.Elapsed(start).Seconds()
	if end.Outcome != event.Uncertain && end.Outcome != event.NotCalled && ctx.Err() != nil &&
		errors.Is(context.Cause(ctx), coordinator.ErrLost) {
		end.Outcome = event.Uncertain // another instance may have acted meanwhile
	}
	out.ID, out.Seconds, out.Err = end.ID, end.Seconds, err
	if err != nil {
		out.Cause, out.Passes, out.Detail = end.Cause, !end.Counts(), err.Error()
	}
	// The blessing and the last good configuration are in one batch with the result, so that a
	// crash cannot separate them.
	ends := []event.Event{end}
	if a.blesses(d, end) {
		ends = append(ends, a.blessing(d.Desired))
	}
	ends = append(ends, a.good(ctx, started, end)...)
	return a.finish(ctx, guard, out, end, ends...)
}
