package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// timeoutError reports an action that did not end within the timeout that its stack configures.
type timeoutError struct {
	action, kind string
	limit        time.Duration
}

func (x *timeoutError) Error() string {
	return fmt.Sprintf("no result within %s, the timeout of %s for %s", x.limit, x.action, x.kind)
}

// OwnText is the whole text.
func (x *timeoutError) OwnText() (text string, whole bool) { return x.Error(), true }

// actionOf is a verb as timeouts name it.
func actionOf(v verb) string {
	switch v {
	case create:
		return resource.TimeoutCreate
	case remove:
		return resource.TimeoutDelete
	default:
		return resource.TimeoutUpdate
	}
}

// timeoutOf returns the configured timeout of an action; 0 means no timeout. A resource of a stack
// that is not part of the plan has no timeout.
func timeoutOf(p *plan.Planned, ref resource.Ref, v verb) time.Duration {
	for i := range p.Intents {
		if in := &p.Intents[i]; in.Stack == ref.Stack {
			return in.Options.Timeouts[ref.Kind][actionOf(v)]
		}
	}
	return 0
}

// pends returns the time that an accepted action may be pending: as configured, else as its kind has it.
func (a *apply) pends(ref resource.Ref, v verb, k resource.Kind) time.Duration {
	if d := timeoutOf(a.plan, ref, v); d > 0 {
		return d
	}
	return k.Pends()
}

// limited bounds an action by its configured timeout. explain gives the error of a call that this ended: the
// system may still finish the action, so that only an observation can tell its result.
func (a *apply) limited(
	ctx context.Context, ref resource.Ref, v verb,
) (limited context.Context, explain func(error) error, end context.CancelFunc) {
	limit := timeoutOf(a.plan, ref, v)
	hint := fmt.Sprintf("run it again, which observes it first, or raise timeouts: {%s: {%s: %s}}",
		ref.Kind, actionOf(v), 2*limit)
	// The shorter limit counts, and the hint is about that one.
	if a.o.Limit > 0 && (limit == 0 || limit > a.o.Limit) {
		limit, hint = a.o.Limit, "raise --timeout; the next cycle observes it first"
	}
	if limit == 0 {
		return ctx, func(err error) error { return err }, func() {}
	}
	over := &timeoutError{actionOf(v), ref.Kind, limit}
	limited, end = provider.WithTimeout(ctx, limit, over)
	return limited, func(err error) error {
		if err == nil || !errors.Is(context.Cause(limited), over) {
			return err
		}
		text, _ := provider.Parted(err.Error())
		text = strings.TrimSuffix(text, ": "+over.Error())
		cause := provider.CauseOf(err)
		if cause == provider.Unclassified || cause == provider.Unreachable {
			cause = provider.UnknownResult // the call was cut off
		}
		return &provider.Error{
			Cause: cause, Err: provider.Errorf("%w: %s", over, text), Hint: hint,
		}
	}, end
}
