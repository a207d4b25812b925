package apply

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// blessing is the event for a resource that is configured as blessed.
func (a *apply) blessing(d *resource.Desired) event.Blessed {
	reason := "configured as blessed"
	if d.At.File != "" {
		reason += " (" + d.At.String() + ")"
	}
	return event.Blessed{Ref: d.Ref, On: true, Who: a.engine.Ledger.User(), Reason: reason}
}

// blesses reports whether the result of a decision must be recorded as a blessing. The record
// protects the resource, so the blessing is recorded together with the result that has the mark.
func (a *apply) blesses(d *decider.Decision, end event.Finished) bool {
	return !a.operator && d.Desired != nil && d.Desired.Blessed && end.Outcome == event.Done &&
		end.Resource != nil && end.Resource.Marks.Blessed && !a.plan.IsBlessed(d.Ref)
}

// accept turns the result of an Async kind that is still pending, or of its delete that is, into an
// accepted action. It returns the error that is left. A delete that was accepted by a kind that is
// not Async breaks the provider's contract, so its result is uncertain.
func (a *apply) accept(end *event.Finished, d *decider.Decision, v verb, err error) error {
	k := a.engine.Kind(d.Ref)
	deleting := errors.Is(err, provider.ErrAccepted)
	if deleting && !k.Async { // only an observation can tell
		end.Outcome = event.Uncertain
		return err
	}
	pending := end.Outcome == event.Done && end.Resource != nil && end.Resource.Health == resource.Pending
	if !k.Async || !deleting && !pending {
		return err
	}
	// The deadline is recorded with the result. An observation after it counts a pending resource as failed.
	end.Outcome, end.Deadline = event.Accepted, a.engine.Now().Add(a.pends(d.Ref, v, k))
	end.Error, end.Cause = "", ""
	return nil
}

// recordStart records the start of a step under its claim, with other events of the same batch. It returns the
// revision of the store that has the start.
func (a *apply) recordStart(
	ctx context.Context, key phaseOf, guard storage.Guard, events ...event.Event,
) (at storage.Revision, err error) {
	err = a.o.Control.begin(key, a.recorder(ctx, key.ref, guard, &at, events...))
	return at, err
}

// recorder returns a function that records events under a claim. A fenced record fails with ledger.ErrOutdated once a
// loop has loaded another version of the stack, and every record with errStopped once the apply has stopped.
func (a *apply) recorder(
	ctx context.Context, ref resource.Ref, guard storage.Guard, at *storage.Revision, events ...event.Event,
) func(fenced bool) error {
	return func(fenced bool) error {
		if a.stopped() { // after an interrupt nothing starts
			return errStopped
		}
		// A stack without a version in the options has no fence, and neither has an owed step.
		var fence *ledger.Fence
		if version, is := a.o.Versions[stackOf(a.plan, ref)]; is && fenced {
			fence = &ledger.Fence{Stack: stackOf(a.plan, ref), Version: version}
		}
		// The record is completed even if the claim is lost meanwhile: its guard decides whether the start counts.
		receipt, err := a.engine.Ledger.RecordStart(context.WithoutCancel(ctx), guard, fence, events...)
		*at = receipt.Revision
		return err
	}
}

// notStarted returns the outcome of an action whose start could not be recorded. Only an error that
// leaves the ledger unusable stops the apply; all other causes concern this action.
func (a *apply) notStarted(out Outcome, err error) Outcome {
	if errors.Is(err, errYielded) {
		out.Status, out.Detail = Yielded, err.Error()
		return out
	}
	if errors.Is(err, errStopped) {
		out.Status, out.Detail = Interrupted, "the apply was interrupted first"
		return out
	}
	// The guard of the claim has failed. Another instance may act on the resource.
	if errors.Is(err, ledger.ErrRefused) {
		out.Status, out.Err, out.Detail = Claimed, err, "the claim was lost before it started"
		return out
	}
	// An earlier plan used the approval, so the operators must approve again.
	if errors.Is(err, ledger.ErrUsed) {
		out.Status, out.Err, out.Detail = Stale, err, err.Error()
		return out
	}
	out.Status, out.Err, out.Detail = Interrupted, a.fail(err), "its start could not be recorded"
	return out
}

// finish records the result. A result after the claim was lost does not count: the next observation
// recovers the action. The context is not canceled by an interrupt, since the action has happened.
func (a *apply) finish(
	ctx context.Context, guard storage.Guard, out Outcome, end event.Finished, ends ...event.Event,
) Outcome {
	if _, err := a.engine.Ledger.RecordUnder(context.WithoutCancel(ctx), guard, ends...); err != nil {
		return a.notRecorded(out, err)
	}
	switch end.Outcome {
	case event.Done:
		out.Status = Done
		a.noteResource(end.Ref, end.Resource)
	case event.Accepted:
		out.Status, out.Detail = Accepted, inProgress(end)
	case event.Uncertain:
		out.Status = Uncertain
	case event.NotCalled:
		return turnedBack(ctx, out)
	}
	return out
}

// notRecorded returns the outcome of an action whose result could not be recorded. The action stays open, because its
// result is missing. A lost claim concerns this action alone, and any other error stops the apply.
func (a *apply) notRecorded(out Outcome, err error) Outcome {
	out.Status = Uncertain
	if errors.Is(err, ledger.ErrRefused) {
		out.Err = errors.Join(out.Err, err)
		out.Detail = "the claim was lost before the result could be recorded: the next plan recovers it"
		return out
	}
	out.Err, out.Detail = errors.Join(out.Err, a.fail(err)), "its result could not be recorded: the next plan recovers it"
	return out
}

// inProgress says until when an accepted action is in progress.
func inProgress(end event.Finished) string {
	return "in progress until " + end.Deadline.UTC().Format(time.RFC3339)
}

// startedEvent is recorded before the call. If an earlier attempt of the same create may still
// arrive, it keeps that attempt's key, so that no second resource is created. It sets the key of
// the request too, so that record and call have the same one.
func (a *apply) startedEvent(
	c parts.Claim, d *decider.Decision, phase decider.Phase, r *provider.Request,
) event.Started {
	b := a.starting(c, d)
	b.Key, b.Have = ulid.Make().String(), r.Have.ID
	if d.Action == decider.Update || d.Action == decider.Restart {
		// The record keeps which values were set outside ovi, so that repeated fights over a value are recognized.
		b.Undoes = event.Undoes(d.Changes)
	}
	if d.Action == decider.Replace {
		b.Phase = string(phase)
	}
	if phase == decider.CreatePhase {
		b.Applying = a.applying(d, r)
		if t := a.plan.Tries[d.Ref].Of(b.Desired); b.Applying != nil && t.Key != "" && verbOf(d.Action, phase) == create {
			b.Key = t.Key
		}
	}
	r.Key = b.Key
	return b
}

// starting returns the fields that the start of every action on a resource has. Approval is set
// only for actions that an approval rule concerns, and ties the use of the approval to this start.
func (a *apply) starting(c parts.Claim, d *decider.Decision) event.Started {
	host, _ := os.Hostname()
	started := event.Started{
		Plan: a.plan.ID, Ref: d.Ref, Action: d.Action, Token: c.Token,
		Reason: d.Reason, Message: d.Message, Desired: d.DesiredDigest(), Host: host, PID: os.Getpid(),
	}
	// The delete records what it makes room for and which configurations must follow. After a crash, the next plan
	// knows what it owes.
	if started.TakesRoom = len(a.plan.Outages[d.Ref]) > 0 || d.TakesRoom(); d.Action.Destroys() {
		for _, room := range decider.RoomFor(a.plan.Plan, d) {
			started.MakesRoom = append(started.MakesRoom, event.Room{Thing: decider.HoldText(room.Of), For: room.For})
		}
		for _, owed := range decider.OwedBy(a.plan.Plan, d) {
			started.Owes = append(started.Owes, event.Owed{Ref: owed.Ref, Desired: owed.DesiredDigest(), For: owed.For})
		}
	}
	if a.plan.Resting[d.Ref] {
		started.Approval = a.plan.Approval
	}
	return started
}

// applying is the configuration that a call applies; nil if it applies none. The attributes have
// their references resolved.
func (a *apply) applying(d *decider.Decision, r *provider.Request) *event.Applied {
	if d.Desired == nil || a.operator || stackOf(a.plan, d.Ref) != d.Ref.Stack { // it keeps its configuration
		return nil
	}
	return &event.Applied{
		Attrs: r.Desired.Attrs, Tags: d.Desired.Tags, State: d.Desired.State, Desired: d.DesiredDigest(),
		At: a.engine.Now(), Unverified: a.unverified(d, r), DependsOn: slices.Clone(d.Desired.Refs()),
	}
}

// finishedEvent is recorded after the call. An error is a failure unless the call may have
// succeeded in spite of it, or was not made.
func (a *apply) finishedEvent(
	ctx context.Context, b event.Started, res *resource.Observed, tries int, err error,
) event.Finished {
	e := event.Finished{
		Plan: b.Plan, Ref: b.Ref, Key: b.Key, Action: b.Action, Phase: b.Phase, Step: b.Step, Token: b.Token,
		Outcome: event.Done, ID: b.Have, Desired: b.Desired, Resource: res,
	}
	if tries > 1 {
		e.Tries = tries
	}
	if res != nil {
		e.ID, e.UID = res.ID, res.UID
	}
	if err == nil {
		return e
	}
	e.Outcome, e.Resource = event.Failed, nil
	e.Error, e.Cause = err.Error(), provider.CauseOf(err)
	var not *notCalledError
	var excluded *excludedError
	switch {
	// The provider was not called, so the action has not failed and has no cause.
	case errors.As(err, &not), errors.As(err, &excluded):
		e.Outcome, e.Cause = event.NotCalled, ""
	case isUncertain(err) || cutOff(ctx, err):
		e.Outcome, e.Cause = event.Uncertain, provider.UnknownResult
	}
	return e
}

// attributes lists the paths of the changed attributes.
func attributes(changes []resource.Change) []string {
	var out []string
	for _, c := range changes {
		if c.On == resource.OnAttribute {
			out = append(out, c.Path)
		}
	}
	return out
}
