package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/replace"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// perform performs one phase of a decision: it records the start, calls the provider and records
// the result. ctx ends when the claim is lost.
func (a *apply) perform(ctx context.Context, c Claim, d *decider.Decision, phase decider.Phase) Outcome {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Failed}
	r, err := a.request(ctx, c, d, phase)
	if err != nil {
		out.Err, out.Detail = err, err.Error()
		return out
	}
	if _, step := phaseOf(d, phase); step == replace.DeleteOld && !a.newIsHealthy(d) {
		out.Status, out.Detail = WaitingFor, "the new resource is not healthy yet: plan again"
		return out
	}
	if err := a.check(ctx, d, phase, r); err != nil {
		out.Status, out.Err, out.Detail, out.Class = Refused, err, "nothing was changed: "+err.Error(), provider.ClassOf(err)
		return out
	}
	started := a.startedEvent(c, d, phase, r)
	guard := coordinator.Guard(c.Ref, c.Token)
	if _, err := a.engine.cfg.Ledger.RecordUnder(context.WithoutCancel(ctx), guard, append(a.opening(d, started), started)...); err != nil {
		return a.notStarted(out, err)
	}
	start := a.engine.cfg.Clock()
	res, tries, err := a.call(ctx, verbOf(d.Action, phase), r)
	err = redact(err, r.Desired.Attrs)
	if errors.Is(err, provider.ErrReplace) {
		err = fmt.Errorf("%w; the next plan proposes that", err)
	}
	end := a.finishedEvent(started, res, tries, err)
	if errors.Is(err, provider.ErrReplace) && verbOf(d.Action, phase) == update {
		end.RecreateOnly = attributes(d.Changes)
	}
	a.accept(&end, d)
	end.Seconds = a.engine.cfg.Clock().Sub(start).Seconds()
	if end.Outcome != event.Uncertain && ctx.Err() != nil && errors.Is(context.Cause(ctx), coordinator.ErrLost) {
		end.Outcome = event.Uncertain // another instance may have acted meanwhile
	}
	out.ID, out.Seconds, out.Err = end.ID, end.Seconds, err
	if err != nil {
		out.Class, out.Recoverable, out.Detail = provider.ClassOf(err), end.Recoverable, err.Error()
	}
	ends := append([]event.Event{end}, a.closing(d, end)...)
	if a.blesses(d, end) {
		ends = append(ends, a.blessing(d.Desired))
	}
	return a.finish(ctx, guard, out, end, ends...)
}

// accept turns the result of an Async kind that is still pending into an accepted action.
func (a *apply) accept(end *event.Finished, d *decider.Decision) {
	k, _ := a.engine.cfg.Providers.Kind(d.Ref.Provider, d.Ref.Kind)
	if !k.Async || end.Outcome != event.Done || end.Resource == nil || end.Resource.Health != resource.Pending {
		return
	}
	end.Outcome, end.Deadline = event.Accepted, a.engine.cfg.Clock().UTC().Round(0).Add(k.Pends())
}

// notStarted returns the outcome of an action whose start could not be recorded.
func (a *apply) notStarted(out Outcome, err error) Outcome {
	if errors.Is(err, ledger.ErrRefused) {
		out.Status, out.Err, out.Detail = Claimed, err, "the claim was lost before it started"
		return out
	}
	out.Status, out.Err, out.Detail = Interrupted, a.fail(err), "its start could not be recorded"
	return out
}

// finish records the result. A result after the claim was lost does not count: the next
// observation recovers the action.
func (a *apply) finish(ctx context.Context, guard storage.Guard, out Outcome, end event.Finished, ends ...event.Event) Outcome {
	_, err := a.engine.cfg.Ledger.RecordUnder(context.WithoutCancel(ctx), guard, ends...)
	switch {
	case errors.Is(err, ledger.ErrRefused):
		out.Status, out.Err, out.Detail = Uncertain, errors.Join(out.Err, err), "the claim was lost before the result could be recorded: the next plan recovers it"
		return out
	case err != nil:
		out.Status, out.Err, out.Detail = Uncertain, errors.Join(out.Err, a.fail(err)), "its result could not be recorded: the next plan recovers it"
		return out
	}
	switch end.Outcome {
	case event.Done:
		out.Status = Done
		if end.Step != string(replace.DeleteOld) { // the ref is the new resource already
			a.noteResource(end.Ref, end.Resource)
		}
	case event.Accepted:
		out.Status, out.Detail = Accepted, "in progress until "+end.Deadline.UTC().Format(time.RFC3339)
	case event.Uncertain:
		out.Status = Uncertain
	}
	return out
}

// startedEvent is recorded before the call. If an earlier attempt of the same create may still
// arrive, it keeps that attempt's key, so that no second resource is created.
func (a *apply) startedEvent(c Claim, d *decider.Decision, phase decider.Phase, r *provider.Request) event.Started {
	host, _ := os.Hostname()
	b := event.Started{
		Plan: a.plan.ID, Ref: d.Ref, Stack: d.Stack, Key: ulid.Make().String(), Action: d.Action, Token: c.Token,
		Reason: d.Reason, Message: d.Message, Desired: d.DesiredDigest(), Have: r.Have.ID, Host: host, PID: os.Getpid(),
	}
	name, step := phaseOf(d, phase)
	b.Phase, b.Step = name, string(step)
	if phase == decider.CreatePhase && d.Desired != nil && !a.operator {
		b.Applying = &event.Applied{Attrs: r.Desired.Attrs, Tags: d.Desired.Tags, State: d.Desired.State, Desired: b.Desired, Stack: d.Stack, At: a.engine.cfg.Clock().UTC().Round(0)}
		if t, ok := a.plan.tries[d.Ref]; ok && t.Key != "" && t.Desired == b.Desired && verbOf(d.Action, phase) == create {
			b.Key = t.Key
		}
	}
	r.Key = b.Key
	return b
}

// finishedEvent is recorded after the call.
func (a *apply) finishedEvent(b event.Started, res *resource.Observed, tries int, err error) event.Finished {
	e := event.Finished{
		Plan: b.Plan, Ref: b.Ref, Stack: b.Stack, Key: b.Key, Action: b.Action, Phase: b.Phase, Step: b.Step, Token: b.Token,
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
	e.Outcome, e.Error, e.Class, e.Recoverable, e.Resource = event.Failed, err.Error(), provider.ClassOf(err).String(), provider.Recoverable(err), nil
	if isUncertain(err) {
		e.Outcome = event.Uncertain
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

// redactedError has the text of its error without the secrets that the call was given.
type redactedError struct {
	error
	text string
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.error }

// redact removes secrets that a provider quotes in an error, so that they reach neither the audit
// log nor the screen.
func redact(err error, given resource.Attrs) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if redacted := resource.Conceal(text, given); redacted != text {
		return &redactedError{err, redacted}
	}
	return err
}

// isUncertain reports whether the action may have succeeded in spite of the error.
func isUncertain(err error) bool {
	var panicked *panicError
	return provider.ClassOf(err) == provider.Uncertain || errors.As(err, &panicked) || errors.Is(err, coordinator.ErrLost) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// verb is the method of a provider to call.
type verb int

const (
	create verb = iota
	update
	remove
)

func verbOf(action decider.Action, phase decider.Phase) verb {
	switch {
	case phase == decider.DeletePhase:
		return remove
	case action == decider.Create || action == decider.Replace:
		return create
	}
	return update
}

// call calls the provider and retries recoverable errors, which every verb allows. It stops when
// the claim is lost or the apply is interrupted.
func (a *apply) call(ctx context.Context, v verb, r *provider.Request) (res *resource.Observed, tries int, err error) {
	ref := r.Desired.Ref
	if v == remove {
		ref = r.Have.Ref
	}
	p := a.engine.cfg.Providers[ref.Provider]
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx) // the claim is lost already, or the apply was canceled
	}
	start := time.Now()
	for wait := a.o.Backoff; ; wait *= 2 {
		tries++
		res, err = safely(ctx, p, v, *r)
		if err == nil || !provider.Recoverable(err) || tries >= a.o.Tries || time.Since(start) > retryFor || ctx.Err() != nil || a.stopped() {
			return res, tries, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return res, tries, err
		case <-a.soft.Done():
			return res, tries, err
		}
	}
}

// panicError is a panic of a provider, after which the result is unknown.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("the provider panicked: %v\n%s", e.value, e.stack)
}

func safely(ctx context.Context, p provider.Provider, v verb, r provider.Request) (res *resource.Observed, err error) {
	defer func() {
		if x := recover(); x != nil {
			res, err = nil, &panicError{x, debug.Stack()}
		}
	}()
	var o resource.Observed
	switch v {
	case create:
		o, err = p.Create(ctx, r)
	case update:
		o, err = updateAndMark(ctx, p, r)
	default:
		return nil, p.Delete(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	// The provider reports the natural name; the resource is recorded under its ref, and this
	// action proves it.
	o.Ref, o.Ownership, o.Stack = r.Desired.Ref, resource.Proven, r.Stack
	return &o, nil
}

// updateAndMark first writes the marks that differ, then makes the other changes.
func updateAndMark(ctx context.Context, p provider.Provider, r provider.Request) (o resource.Observed, err error) {
	var marks, rest []resource.Change
	for _, c := range r.Changes {
		if c.On == resource.OnMark {
			marks = append(marks, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(marks) > 0 {
		if o, err = mark(ctx, p, r, marks); err != nil || len(rest) == 0 {
			return o, err
		}
		r.Have.Marks = o.Marks
	}
	r.Changes = rest
	return p.Update(ctx, r)
}

// mark writes all marks of a resource. ErrReplace becomes a plain error: no resource is replaced
// because of its marks.
func mark(ctx context.Context, p provider.Provider, r provider.Request, changes []resource.Change) (resource.Observed, error) {
	m, ok := p.(provider.Marker)
	if !ok {
		return resource.Observed{}, fmt.Errorf("%s: the provider cannot write tags on existing resources", r.Desired.Ref)
	}
	r.Desired.Blessed = r.Have.Marks.Blessed
	for _, c := range changes {
		if c.Path == "blessed" {
			r.Desired.Blessed = c.To == resource.Bool(true)
		}
	}
	r.Changes = nil
	o, err := m.Mark(ctx, r)
	if errors.Is(err, provider.ErrReplace) {
		err = fmt.Errorf("the tags cannot be written: %s", err.Error())
	}
	return o, err
}
