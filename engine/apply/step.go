package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/oklog/ulid/v2"
	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// do does one step. It returns an outcome if the replacement stops there. The first step records
// the start of the replacement with it, so that a crash after it finds the old resource, the
// strategy and the key in the log. A step that destroys or sets aside proves its resource first,
// under the claim.
func (r *replacement) do(ctx context.Context, step replace.Step, s replace.Stage) *Outcome {
	if step == replace.Revert {
		return r.goBack(ctx, s)
	}
	have := s.Old // what the step is done to; nil for a create
	switch step {
	case replace.Switch, replace.DeleteNew:
		have = s.New
	case replace.Create:
		have = nil
	}
	if step == replace.SetAside || step.Destroys() {
		if err := r.prove(ctx, r.d.Ref, have.ID); err != nil {
			return stop(r.stops(ctx, err))
		}
	}
	q, err := r.stepRequest(ctx, step, s, have)
	if err != nil {
		return stop(r.stops(ctx, err))
	}
	// The next step is the first that deletes or sets aside a working resource, so the new one must
	// not be refused after it.
	if r.Checks(s) {
		if err := r.ask(ctx, r.d, *q); err != nil {
			if out := (Outcome{}); r.last == "" && stopped(ctx, &out) {
				return &out
			}
			return &Outcome{
				Status: Refused, Err: err, Detail: "nothing was changed: " + refusal(err), Cause: provider.CauseOf(err),
			}
		}
	}
	started := r.stepStarted(step, q)
	var opening []event.Event
	if !r.recorded {
		opening = append(opening, event.ReplaceStarted{
			Plan: r.plan.ID, Ref: r.d.Ref, Key: r.Key, Strategy: string(r.Strategy), Desired: r.Desired, Old: r.Old,
			Deadline: r.Deadline,
		})
	}
	if r.begun { // it goes on even if the apply has yielded
		if out := r.write(ctx, append(opening, started)...); out != nil {
			return out
		}
	} else if r.at, err = r.recordStart(
		ctx, phaseOf{r.d.Ref, r.phase}, r.guard, append(opening, started)...,
	); err != nil {
		return stop(r.notStarted(Outcome{}, err))
	}
	r.recorded, r.begun = true, true
	return r.carryOut(ctx, step, q, started)
}

func stop(o Outcome) *Outcome { return &o }

// carryOut calls the provider and records the result. A failure that may pass stops the replacement
// where it is; another failure of the new resource makes it go back.
func (r *replacement) carryOut(
	ctx context.Context, step replace.Step, q *provider.Request, started event.Started,
) *Outcome {
	start := r.engine.Clock()
	res, tries, err := r.callAlone(ctx, r.at, started, verbOfStep(step), q)
	// Only the first step of a phase is compared with the actions of other applies.
	r.at = 0
	err = quiet(r.engine, err, q)
	end := r.finishedEvent(ctx, started, res, tries, err)
	if step == replace.Create || step.Destroys() {
		err = r.accept(&end, r.d, verbOfStep(step), err)
	}
	end.Seconds = r.engine.Elapsed(start).Seconds()
	r.seconds += end.Seconds
	if end.Outcome != event.Uncertain && ctx.Err() != nil && errors.Is(context.Cause(ctx), coordinator.ErrLost) {
		end.Outcome = event.Uncertain // another instance may have acted meanwhile
	}
	events := []event.Event{end}
	if step == replace.Create && r.blesses(r.d, end) {
		events = append(events, r.blessing(r.d.Desired))
	}
	if out := r.write(ctx, events...); out != nil {
		out.ID, out.Err = end.ID, errors.Join(err, out.Err)
		return out
	}
	repeats := step == r.last
	r.last = step
	switch {
	case end.Outcome == event.NotCalled:
		return stop(r.leaves(ctx, err))
	case end.Outcome == event.Accepted:
		return &Outcome{Status: Accepted, ID: end.ID, Detail: inProgress(end)}
	case end.Outcome == event.Uncertain:
		return &Outcome{
			Status: Uncertain, ID: end.ID, Err: err, Cause: end.Cause, Passes: !end.Counts(),
			Detail: err.Error(),
		}
	// The step was repeated once more. The next repetition waits first again.
	case end.Outcome == event.Done && repeats:
		r.repeated = false
	case end.Outcome == event.Done:
		r.extend()
	// A failure that may pass, a failure on the way back and a failure of the last delete do not
	// make the replacement go back: the next plan goes on.
	case provider.HandlingOf(end.Cause).Repeats || r.Reverting || step == replace.DeleteOld:
		return stop(r.stops(ctx, err))
	default:
		r.refused = err
	}
	return nil
}

// goBack records that the replacement goes back, and why. From this record on the replacement never
// goes forward again, whoever continues it.
func (r *replacement) goBack(ctx context.Context, s replace.Stage) *Outcome {
	e := event.ReplaceReverted{Ref: r.d.Ref, Key: r.Key, Why: r.whyBack(s)}
	failed := s.New != nil && s.New.Health == resource.Failing
	// The record of a failed step counts as the attempt already. A revert whose new resource does
	// not fail is no attempt.
	if r.refused == nil && (failed || r.d.Action != decider.Revert) {
		e.Failed = r.Desired
	}
	if out := r.write(ctx, e); out != nil {
		return out
	}
	if r.d.Action != decider.Revert {
		r.refused = errors.New(e.Why)
	}
	r.Reverting, r.last = true, replace.Revert
	r.extend()
	return nil
}

// whyBack says why a replacement goes back.
func (r *replacement) whyBack(s replace.Stage) string {
	switch {
	case r.refused != nil:
		return r.refused.Error()
	case r.d.Action == decider.Revert:
		return r.d.Message
	case s.New == nil:
		return "the new resource does not exist at the deadline"
	case s.New.Health == resource.Failing && s.New.Message != "":
		return fmt.Sprintf("%s is failing: %s", s.New.ID, s.New.Message)
	case s.New.Health == resource.Failing:
		return s.New.ID + " is failing"
	}
	return fmt.Sprintf("%s is still %s at the deadline", s.New.ID, s.New.Health)
}

// end records the end of a replacement, unless it stays in progress.
func (r *replacement) end(ctx context.Context, step replace.Step, s replace.Stage) Outcome {
	left := s.Old
	if step != replace.Reverted {
		left = s.New
	}
	if step == replace.GiveUp && s.Old != nil {
		// It can neither go on nor back.
		err := fmt.Errorf("%s, and there is no way back, because other resources refer to it already; "+
			"%s is kept: repair %s, or run `ovi forget %s --id %s` to manage %s alone",
			r.whyBack(s), r.Old, s.New.ID, r.d.Ref.ShortInStack(), r.Old, s.New.ID)
		return Outcome{Status: Failed, ID: s.New.ID, Err: err, Detail: err.Error()}
	}
	e := event.ReplaceFinished{Ref: r.d.Ref, Key: r.Key, Reverted: step == replace.Reverted}
	// The end of a replacement names the resource that is left, which must still be proven.
	if left != nil {
		e.ID = left.ID
		if err := r.prove(ctx, r.d.Ref, left.ID); err != nil {
			return r.stops(ctx, err)
		}
	}
	// A replacement without a recorded start has no end to record.
	if r.recorded {
		events := []event.Event{e}
		// If the record cannot be read, that is left to the recording, which then fails too.
		if !e.Reverted && left != nil && r.applied != nil {
			good, _ := r.engine.LastGood(context.WithoutCancel(ctx), e.Ref, left, *r.applied)
			events = append(events, good...)
		}
		if out := r.write(ctx, events...); out != nil {
			out.ID = e.ID
			return *out
		}
	}
	r.noteResource(r.d.Ref, left)
	r.mu.Lock()
	r.replaced[r.d.Ref] = e.ID
	r.mu.Unlock()
	out := Outcome{Status: Done, ID: e.ID}
	switch {
	case step == replace.GiveUp:
		out.Status, out.Err = Failed, errors.New(r.whyBack(s))
		out.Detail = out.Err.Error()
	case step == replace.Reverted && r.refused != nil:
		out.Status, out.Err, out.Cause, out.Reverted = Failed, r.refused, provider.CauseOf(r.refused), true
		out.Passes = provider.Passes(r.refused)
		out.Detail = fmt.Sprintf("%v; the replacement was reverted, and %s is kept", r.refused, r.Old)
	}
	return out
}

// write records events under the claim. It returns an outcome if it cannot.
func (r *replacement) write(ctx context.Context, events ...event.Event) *Outcome {
	_, err := r.engine.Ledger.RecordUnder(context.WithoutCancel(ctx), r.guard, events...)
	if err == nil {
		return nil
	}
	if _, started := events[len(events)-1].(event.Started); started {
		return stop(r.notStarted(Outcome{}, err))
	}
	return stop(r.notRecorded(Outcome{}, err))
}

// stepRequest makes the provider's request for a step. A create uses the key of the whole
// replacement, so that a repeated create is recognized; every other step has its own.
func (r *replacement) stepRequest(
	ctx context.Context, step replace.Step, s replace.Stage, have *resource.Observed,
) (*provider.Request, error) {
	q := &provider.Request{Key: r.Key, Token: r.claim.Token, Owner: r.engine.Owner}
	if have != nil {
		q.Have = *have
	}
	if step != replace.Create {
		q.Key = ulid.Make().String()
	}
	if r.Strategy.SetsAside() && (step == replace.Create || step == replace.Switch) {
		q.Beside = s.Old
	}
	switch {
	// The attributes that control the delete of the new resource are the ones that it was created
	// with.
	case step == replace.DeleteNew && r.applied != nil:
		q.Desired.Attrs = r.applied.Attrs
		return q, nil
	case step.Destroys():
		var err error
		q.Desired.Attrs, err = r.lastConfigured(ctx, r.d)
		return q, err
	}
	q.Desired = resource.Desired{Ref: r.d.Ref}
	// A restore applies no configuration, so references without a value must not prevent it.
	if r.d.Desired != nil && step != replace.Restore {
		if err := r.resolveInto(ctx, r.d, q); err != nil {
			return nil, err
		}
	}
	q.Desired.Replace = r.Strategy
	return q, nil
}

// stepStarted is recorded before the call of a step.
func (r *replacement) stepStarted(step replace.Step, q *provider.Request) event.Started {
	b := r.starting(r.claim, r.d)
	b.Key, b.Step, b.Have, b.Desired = q.Key, string(step), q.Have.ID, r.Desired
	// Recovery finds the other steps by their names, so they have no phase.
	switch {
	case step == replace.Create:
		b.Phase, b.Applying = event.PhaseCreate, r.applying(r.d, q)
		r.applied = b.Applying
	case step.Destroys():
		b.Phase = event.PhaseDelete
	}
	if r.Reverting && r.refused != nil {
		b.Reason, b.Message = decider.ReasonReverts, r.refused.Error()
	}
	return b
}
