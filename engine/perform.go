package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// perform does one half of a decision: it writes that it begins, calls, and writes how it
// ended. ctx ends when the claim is lost.
func (a *apply) perform(ctx context.Context, c Claim, d *decider.Decision, half decider.Half) Outcome {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Failed}
	r, err := a.request(c, d, half)
	if err != nil {
		out.Err, out.Detail = err, err.Error()
		return out
	}
	began := a.beginning(c, d, half, r)
	guard := coordinator.Guard(c.Ref, c.Token)
	if _, err := a.engine.cfg.Ledger.RecordUnder(context.WithoutCancel(ctx), guard, began); err != nil {
		return a.notBegun(out, err)
	}
	start := a.engine.cfg.Clock()
	thing, tries, err := a.call(ctx, verbOf(d.Action, half), r)
	err = discreet(err, r.Want.Attrs)
	if errors.Is(err, provider.ErrReplace) {
		err = fmt.Errorf("%w; the next plan proposes that", err)
	}
	end := a.ending(began, thing, tries, err)
	if errors.Is(err, provider.ErrReplace) && verbOf(d.Action, half) == update {
		end.Anew = attributes(d.Changes)
	}
	end.Seconds = a.engine.cfg.Clock().Sub(start).Seconds()
	if end.Outcome != ledger.Uncertain && ctx.Err() != nil && errors.Is(context.Cause(ctx), coordinator.ErrLost) {
		end.Outcome = ledger.Uncertain // whatever came back, another may act by now
	}
	out.ID, out.Seconds, out.Err = end.ID, end.Seconds, err
	if err != nil {
		out.Class, out.Recoverable, out.Detail = provider.ClassOf(err), end.Recoverable, err.Error()
	}
	ends := []ledger.Event{end}
	if a.blesses(d, end) {
		ends = append(ends, a.blessing(d.Wanted))
	}
	return a.finish(ctx, guard, out, end, ends...)
}

// notBegun reads why a beginning could not be recorded.
func (a *apply) notBegun(out Outcome, err error) Outcome {
	if errors.Is(err, ledger.ErrRefused) {
		out.Status, out.Err, out.Detail = Held, err, "the claim was lost before it began"
		return out
	}
	out.Status, out.Err, out.Detail = Interrupted, a.fail(err), "its beginning could not be recorded"
	return out
}

// finish records the end. An end that comes after the claim was lost does not count: what
// became of the action is answered by the next look.
func (a *apply) finish(ctx context.Context, guard storage.Guard, out Outcome, end ledger.Ended, ends ...ledger.Event) Outcome {
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
	case ledger.Done:
		out.Status = Done
		a.noteThing(end.Ref, end.Thing)
	case ledger.Uncertain:
		out.Status = Uncertain
	}
	return out
}

// beginning is what is recorded before the call. A create that may still come through from
// an earlier try keeps that try's key, so that it can't make a second thing.
func (a *apply) beginning(c Claim, d *decider.Decision, half decider.Half, r *provider.Request) ledger.Began {
	host, _ := os.Hostname()
	b := ledger.Began{
		Plan: a.plan.ID, Ref: d.Ref, Stack: d.Stack, Key: ulid.Make().String(), Action: d.Action, Token: c.Token,
		Reason: d.Reason, Detail: d.Detail, Wish: d.Wish(), Have: r.Have.ID, Host: host, PID: os.Getpid(),
	}
	if d.Action == decider.Replace {
		b.Half = ledger.HalfDelete
		if half == decider.Make {
			b.Half = ledger.HalfCreate
		}
	}
	if half == decider.Make && d.Wanted != nil && !a.human {
		b.Applying = &ledger.Applied{Attrs: d.Wanted.Attrs, Tags: d.Wanted.Tags, Wish: b.Wish, Stack: d.Stack, At: a.engine.cfg.Clock().UTC().Round(0)}
		if t, ok := a.plan.tries[d.Ref]; ok && t.Key != "" && t.Wish == b.Wish && verbOf(d.Action, half) == create {
			b.Key = t.Key
		}
	}
	r.Key = b.Key
	return b
}

// ending is what is recorded after the call.
func (a *apply) ending(b ledger.Began, thing *resource.Observed, tries int, err error) ledger.Ended {
	e := ledger.Ended{
		Plan: b.Plan, Ref: b.Ref, Stack: b.Stack, Key: b.Key, Action: b.Action, Half: b.Half, Token: b.Token,
		Outcome: ledger.Done, ID: b.Have, Wish: b.Wish, Thing: thing,
	}
	if tries > 1 {
		e.Tries = tries
	}
	if thing != nil {
		e.ID = thing.ID
	}
	if err == nil {
		return e
	}
	e.Outcome, e.Error, e.Class, e.Recoverable, e.Thing = ledger.Failed, err.Error(), provider.ClassOf(err).String(), provider.Recoverable(err), nil
	if inDoubt(err) {
		e.Outcome = ledger.Uncertain
	}
	return e
}

// attributes are the paths of changes that are neither tags nor marks.
func attributes(changes []resource.Change) []string {
	var out []string
	for _, c := range changes {
		if c.Path != comparator.BlessedPath && c.Path != ManagedPath && !strings.HasPrefix(c.Path, "tags.") {
			out = append(out, c.Path)
		}
	}
	return out
}

// discreetError says what its error says, without the secrets that the call was given.
type discreetError struct {
	error
	text string
}

func (e *discreetError) Error() string { return e.text }
func (e *discreetError) Unwrap() error { return e.error }

// discreet keeps a provider from quoting a secret to the record and to the screen.
func discreet(err error, given resource.Attrs) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if text := resource.Conceal(said, given); text != said {
		return &discreetError{err, text}
	}
	return err
}

// inDoubt says that after this error nobody knows whether the deed was done.
func inDoubt(err error) bool {
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

func verbOf(action decider.Action, half decider.Half) verb {
	switch {
	case half == decider.Take:
		return remove
	case action == decider.Create || action == decider.Replace:
		return create
	}
	return update
}

// call makes the call, and makes it again for errors that pass: all verbs allow that. It
// stops trying when the claim is lost or the apply is stopped.
func (a *apply) call(ctx context.Context, v verb, r *provider.Request) (thing *resource.Observed, tries int, err error) {
	ref := r.Want.Ref
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
		thing, err = safely(ctx, p, v, *r)
		if err == nil || !provider.Recoverable(err) || tries >= a.o.Tries || time.Since(start) > patience || ctx.Err() != nil || a.stopped() {
			return thing, tries, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return thing, tries, err
		case <-a.soft.Done():
			return thing, tries, err
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

func safely(ctx context.Context, p provider.Provider, v verb, r provider.Request) (thing *resource.Observed, err error) {
	defer func() {
		if x := recover(); x != nil {
			thing, err = nil, &panicError{x, debug.Stack()}
		}
	}()
	var o resource.Observed
	switch v {
	case create:
		o, err = p.Create(ctx, r)
	case update:
		o, err = p.Update(ctx, r)
	default:
		return nil, p.Delete(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return &o, nil
}
