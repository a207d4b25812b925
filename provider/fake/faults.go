package fake

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Verb names what was called.
type Verb string

// The verbs.
const (
	Observe Verb = "observe"
	Create  Verb = "create"
	Update  Verb = "update"
	Delete  Verb = "delete"
	Mark    Verb = "mark"
)

// Call is one call that came in.
type Call struct {
	Verb  Verb
	Scope resource.Scope
	Ref   resource.Ref // zero for Observe
	Kind  string       // of an Observe that lists one kind
	Key   string
	N     int // how many calls of this verb came before it, and it: 1 is the first
}

// Fault fails a call, or returns nil. It may wait, and should end when the context does.
type Fault func(ctx context.Context, c Call) error

// Faults are the promises to break. The zero value breaks none.
type Faults struct {
	Before Fault // an error: nothing was done
	After  Fault // an error: it was done, and the answer is lost
	// List fails the list of a kind; nil, or a nil error: it succeeds.
	List func(kind string) error
	// Slow is called while a kind is listed, and may wait; nil means that every kind answers at once.
	Slow func(ctx context.Context, kind string) error
	// Lag hides what is created from so many Observes after it, unless they ask for it by id.
	Lag int
	// Delay is how long every call takes.
	Delay time.Duration
}

// Nth fails the n-th call of a verb, the first being 1.
func Nth(v Verb, n int, err error) Fault {
	return func(_ context.Context, c Call) error {
		if c.Verb == v && c.N == n {
			return err
		}
		return nil
	}
}

// Every fails each call of a verb for one ref, or for all refs with a zero one.
func Every(v Verb, ref resource.Ref, err error) Fault {
	return func(_ context.Context, c Call) error {
		if c.Verb == v && (ref.IsZero() || c.Ref == ref) {
			return err
		}
		return nil
	}
}

// Unreachable fails every Observe of a scope.
func Unreachable(s resource.Scope, err error) Fault {
	return func(_ context.Context, c Call) error {
		if c.Verb == Observe && c.Scope == s {
			return err
		}
		return nil
	}
}

// Any joins faults: the first that fails the call decides.
func Any(faults ...Fault) Fault {
	return func(ctx context.Context, c Call) error {
		for _, f := range faults {
			if err := f(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}
}

// Errors as a real system gives them, ready for faults.
var (
	ErrThrottled     = fail(provider.Throttled, "slow down")
	ErrUnreachable   = fail(provider.Unreachable, "the connection was reset")
	ErrDenied        = fail(provider.Denied, "not allowed")
	ErrConfiguration = fail(provider.Configuration, "the request is invalid")
	ErrLost          = fail(provider.UnknownResult, "the answer was lost")
)

func fail(c provider.Cause, text string) error {
	return &provider.Error{Cause: c, Op: "fake", Code: text, Err: errors.New(text)}
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
