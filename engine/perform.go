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

// perform does one half of a decision: it writes that it begins, calls, and writes how it
// ended. ctx ends when the claim is lost.
func (a *apply) perform(ctx context.Context, c Claim, d *decider.Decision, half decider.Phase) Outcome {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Failed}
	r, err := a.request(ctx, c, d, half)
	if err != nil {
		out.Err, out.Detail = err, err.Error()
		return out
	}
	if _, step := phaseOf(d, half); step == replace.DeleteOld && !a.newIsHealthy(d) {
		out.Status, out.Detail = WaitingFor, "the new resource is not healthy yet: plan again"
		return out
	}
	if err := a.check(ctx, d, half, r); err != nil {
		out.Status, out.Err, out.Detail, out.Class = Refused, err, "nothing was changed: "+err.Error(), provider.ClassOf(err)
		return out
	}
	started := a.startedEvent(c, d, half, r)
	guard := coordinator.Guard(c.Ref, c.Token)
	if _, err := a.engine.cfg.Ledger.RecordUnder(context.WithoutCancel(ctx), guard, append(a.opening(d, started), started)...); err != nil {
		return a.notStarted(out, err)
	}
	start := a.engine.cfg.Clock()
	res, tries, err := a.call(ctx, verbOf(d.Action, half), r)
	err = redact(err, r.Desired.Attrs)
	if errors.Is(err, provider.ErrReplace) {
		err = fmt.Errorf("%w; the next plan proposes that", err)
	}
	end := a.finishedEvent(started, res, tries, err)
	if errors.Is(err, provider.ErrReplace) && verbOf(d.Action, half) == update {
		end.RecreateOnly = attributes(d.Changes)
	}
	a.accept(&end, d)
	end.Seconds = a.engine.cfg.Clock().Sub(start).Seconds()
	if end.Outcome != event.Uncertain && ctx.Err() != nil && errors.Is(context.Cause(ctx), coordinator.ErrLost) {
		end.Outcome = event.Uncertain // whatever came back, another may act by now
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

// defaultGrace is how long an accepted action may be pending where its kind does not say.
const defaultGrace = 10 * time.Minute

// accept turns the end of an action whose provider goes on by itself into an accepted one.
func (a *apply) accept(end *event.Finished, d *decider.Decision) {
	k, _ := a.engine.cfg.Providers.Kind(d.Ref.Provider, d.Ref.Kind)
	if !k.Async || end.Outcome != event.Done || end.Resource == nil || end.Resource.Health != resource.Pending {
		return
	}
	grace := k.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	end.Outcome, end.Deadline = event.Accepted, a.engine.cfg.Clock().UTC().Round(0).Add(grace)
}

// notStarted reads why a beginning could not be recorded.
func (a *apply) notStarted(out Outcome, err error) Outcome {
	if errors.Is(err, ledger.ErrRefused) {
		out.Status, out.Err, out.Detail = Claimed, err, "the claim was lost before it began"
		return out
	}
	out.Status, out.Err, out.Detail = Interrupted, a.fail(err), "its beginning could not be recorded"
	return out
}

// finish records the end. An end that comes after the claim was lost does not count: what
// became of the action is answered by the next look.
func (a *apply) finish(ctx context.Context, guard storage.Guard, out Outcome, end event.Finished, ends ...event.Event) Outcome {
	_, err := a.engine.cfg.Ledger.RecordUnder(context.WithoutCancel(ctx), guard, ends...)
	switch {
	case errors.Is(err, ledger.ErrRefused):
		out.Status, out.Err, out.Detail = Uncertain, errors.Join(out.Err, err), "the claim was lost before the end could be recorded: the next look tells what became of it"
		return out
	case err != nil:
		out.Status, out.Err, out.Detail = Uncertain, errors.Join(out.Err, a.fail(err)), "its end could not be recorded: the next look tells what became of it"
		return out
	}
	switch end.Outcome {
	case event.Done:
		out.Status = Done
		if end.Step != string(replace.DeleteOld) { // then the new one is noted
			a.noteResource(end.Ref, end.Resource)
		}
	case event.Accepted:
		out.Status, out.Detail = Accepted, "in progress until "+end.Deadline.UTC().Format(time.RFC3339)
	case event.Uncertain:
		out.Status = Uncertain
	}
	return out
}

// startedEvent is what is recorded before the call. A create that may still come through from
// an earlier try keeps that try's key, so that it can't make a second thing.
func (a *apply) startedEvent(c Claim, d *decider.Decision, half decider.Phase, r *provider.Request) event.Started {
	host, _ := os.Hostname()
	b := event.Started{
		Plan: a.plan.ID, Ref: d.Ref, Stack: d.Stack, Key: ulid.Make().String(), Action: d.Action, Token: c.Token,
		Reason: d.Reason, Message: d.Message, Desired: d.DesiredDigest(), Have: r.Have.ID, Host: host, PID: os.Getpid(),
	}
	phase, step := phaseOf(d, half)
	b.Phase, b.Step = phase, string(step)
	if half == decider.CreatePhase && d.Desired != nil && !a.operator {
		b.Applying = &event.Applied{Attrs: r.Desired.Attrs, Tags: d.Desired.Tags, Desired: b.Desired, Stack: d.Stack, At: a.engine.cfg.Clock().UTC().Round(0)}
		if t, ok := a.plan.tries[d.Ref]; ok && t.Key != "" && t.Desired == b.Desired && verbOf(d.Action, half) == create {
			b.Key = t.Key
		}
	}
	r.Key = b.Key
	return b
}

// finishedEvent is what is recorded after the call.
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

// attributes are the paths of changes that are about attributes.
func attributes(changes []resource.Change) []string {
	var out []string
	for _, c := range changes {
		if c.On == resource.OnAttribute {
			out = append(out, c.Path)
		}
	}
	return out
}

// redactedError says what its error says, without the secrets that the call was given.
type redactedError struct {
	error
	text string
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.error }

// redact keeps a provider from quoting a secret to the record and to the screen.
func redact(err error, given resource.Attrs) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if text := resource.Conceal(said, given); text != said {
		return &redactedError{err, text}
	}
	return err
}

// isUncertain says that after this error nobody knows whether the deed was done.
func isUncertain(err error) bool {
	var panicked *panicError
	return provider.ClassOf(err) == provider.Uncertain || errors.As(err, &panicked) || errors.Is(err, coordinator.ErrLost) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// verb is which of a provider's calls to make.
type verb int

const (
	create verb = iota
	update
	remove
)

func verbOf(action decider.Action, half decider.Phase) verb {
	switch {
	case half == decider.DeletePhase:
		return remove
	case action == decider.Create || action == decider.Replace:
		return create
	}
	return update
}

// call makes the call, and makes it again for errors that pass: all verbs allow that. It
// stops trying when the claim is lost or the apply is stopped.
func (a *apply) call(ctx context.Context, v verb, r *provider.Request) (res *resource.Observed, tries int, err error) {
	ref := r.Desired.Ref
	if v == remove {
		ref = r.Have.Ref
	}
	p := a.engine.cfg.Providers[ref.Provider]
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx) // the claim is lost already, or the apply was cut off
	}
	start := time.Now()
	for wait := a.o.Backoff; ; wait *= 2 {
		tries++
		res, err = safely(ctx, p, v, *r)
		if err == nil || !provider.Recoverable(err) || tries >= a.o.Tries || time.Since(start) > patience || ctx.Err() != nil || a.stopped() {
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

// panicError is a panic of a provider: nobody knows what it had done before.
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
	// What the provider names after itself is on record under its ref, and ours by this action.
	o.Ref, o.Ownership, o.Stack = r.Desired.Ref, resource.Proven, r.Stack
	return &o, nil
}

// updateAndMark writes the marks that differ in a step of their own, then makes the other
// changes.
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

// mark writes all marks as they should be. That it cannot be done in place is an error like
// others: nothing is replaced for the sake of a mark.
func mark(ctx context.Context, p provider.Provider, r provider.Request, changes []resource.Change) (resource.Observed, error) {
	m, ok := p.(provider.Marker)
	if !ok {
		return resource.Observed{}, fmt.Errorf("%s: the provider cannot write marks on what exists", r.Desired.Ref)
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
		err = fmt.Errorf("marks cannot be written: %s", err.Error())
	}
	return o, err
}
