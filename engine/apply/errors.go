package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// panicError is a panic of a provider, after which the result is unknown.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("the provider panicked: %v\n%s", e.value, e.stack)
}

// OwnText omits the value of the panic, which may have the text of another system.
func (e *panicError) OwnText() (text string, whole bool) { return "the provider panicked", false }

// errStopped is the reason that an action does not start in an apply that was interrupted or cannot be recorded.
var errStopped = errors.New("the apply has stopped")

// notCalledError reports that the apply was interrupted after the start of an action was recorded, and before its call.
type notCalledError struct{ why error }

func (e *notCalledError) Error() string {
	if errors.Is(e.why, coordinator.ErrLost) {
		return e.why.Error()
	}
	return "the apply was interrupted"
}

func (e *notCalledError) Unwrap() error { return e.why }

// OwnText is the whole text.
func (e *notCalledError) OwnText() (text string, whole bool) { return e.Error(), true }

// startsError reports a reference without a value, because the resource that it names is starting.
type startsError struct {
	to resource.Reference
	on resource.Observed
}

func (x *startsError) Error() string {
	return fmt.Sprintf("it refers to %s of %s, which is %s%s; run it again once that is healthy",
		x.to.Path, x.to.Ref.Short(), x.on.Health, parts.Because(x.on.Message))
}

// notStartable returns the outcome of an action whose request could not be made: it waits for a resource
// that starts, was not proven, or lacks something else.
func notStartable(ctx context.Context, out Outcome, err error) Outcome {
	if stopped(ctx, &out) {
		return out
	}
	out.Status, out.Err, out.Detail = Unprepared, err, err.Error()
	var unproven *unprovenError
	var starts *startsError
	switch {
	// The proof has ended since the plan: the action is outdated, and has not failed.
	case errors.As(err, &unproven):
		out.Status = Stale
	case errors.As(err, &starts):
		out.Status, out.On = WaitingFor, starts.to.Ref
	}
	return out
}

// stopped reports whether the context of an action ended before the action started, and sets the outcome.
func stopped(ctx context.Context, out *Outcome) bool {
	switch {
	case ctx.Err() == nil:
		return false
	case errors.Is(context.Cause(ctx), coordinator.ErrLost):
		out.Status, out.Err, out.Detail = Claimed, context.Cause(ctx), "the claim was lost before it started"
	default:
		out.Status, out.Err, out.Detail = Interrupted, nil, "the apply was interrupted first"
	}
	return true
}

// refusal is the error of a check without the word that introduces it everywhere.
func refusal(err error) string { return strings.TrimPrefix(err.Error(), "check: ") }

// unprovenError is the error for a resource that was proven when the plan was made.
type unprovenError struct {
	ref resource.Ref
	id  string
	why error
}

func (e *unprovenError) Error() string {
	return fmt.Sprintf(
		"it is not proven any more that ovi created or adopted %s: %v: "+
			"run `ovi plan`, or `ovi adopt %s/%s --id %s` if it is yours",
		e.id, e.why, e.ref.Kind, e.ref.Name, e.id)
}

func (e *unprovenError) Unwrap() error { return e.why }

// OwnText is the whole text.
func (e *unprovenError) OwnText() (text string, whole bool) { return e.Error(), true }

// quiet returns the error of an action without text of another system, if the request of the action has a secret, and
// without the credentials of the process. A lost claim stays recognizable in the error, because it makes the result
// uncertain.
func quiet(e *recovery.Recovery, err error, r *provider.Request) error {
	return e.Quiet(err, r, coordinator.ErrLost)
}

// cutOff reports whether a call ended because its context did: the system gave no other cause, so
// the call may have succeeded. A refusal by the system has a cause of its own, and is a result even
// if the context ended meanwhile.
func cutOff(ctx context.Context, err error) bool {
	cause := provider.CauseOf(err)
	return ctx.Err() != nil && (cause == provider.Unclassified || cause == provider.Unreachable)
}

// isUncertain reports whether the action may have succeeded in spite of the error. Such an action
// stays open, and an observation decides.
func isUncertain(err error) bool {
	var panicked *panicError
	return provider.CauseOf(err) == provider.UnknownResult || errors.As(err, &panicked) ||
		errors.Is(err, coordinator.ErrLost) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
