package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
)

// act does one half of a decision under its claim.
func (a *apply) act(d *decider.Decision, half decider.Phase) Outcome {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was stopped before"}
	ctx, acquired, stop := a.untilAcquired()
	defer stop()
	err := a.engine.cfg.Claims.Hold(ctx, d.Ref.String(), func(ctx context.Context, c Claim) error {
		acquired()
		if a.stopped() {
			return nil
		}
		over, err := a.recheck(ctx, d, half)
		if over != nil || err != nil {
			if over != nil {
				out = *over
			}
			return err
		}
		out = a.perform(ctx, c, d, half)
		return nil
	})
	return a.afterHold(out, err)
}

// afterHold reads what Hold itself had to say.
func (a *apply) afterHold(out Outcome, err error) Outcome {
	var held *coordinator.ClaimedError
	switch {
	case err == nil || out.Status.called():
	case errors.As(err, &held):
		out.Status, out.Err, out.Detail = Claimed, err, err.Error()
		out.ClaimedBy = held.Claim.User + "@" + held.Claim.Host
	case errors.Is(err, coordinator.ErrLost):
		out.Status, out.Err, out.Detail = Claimed, err, "the claim was lost before it began"
	case a.soft.Err() != nil || a.hard.Err() != nil || a.broken() != nil:
	default:
		out.Status, out.Err, out.Detail = Failed, err, "it was not begun: "+err.Error()
		out.Recoverable = true
	}
	return out
}

// untilAcquired makes the context of a Hold: the first Ctrl-C ends the waiting for the claim,
// but not the work under it; the second ends that too.
func (a *apply) untilAcquired() (ctx context.Context, acquired func(), stop func()) {
	ctx, cancel := context.WithCancelCause(a.hard)
	var mu sync.Mutex
	working := false
	unhook := context.AfterFunc(a.soft, func() {
		mu.Lock()
		defer mu.Unlock()
		if !working {
			cancel(context.Cause(a.soft))
		}
	})
	acquired = func() {
		mu.Lock()
		defer mu.Unlock()
		working = true
	}
	return ctx, acquired, func() { unhook(); cancel(nil) }
}

// recheck finds out, under the claim, whether somebody else acted on the thing since the
// plan. It gives an outcome if there is nothing left to do, or nothing that should be done.
func (a *apply) recheck(ctx context.Context, d *decider.Decision, half decider.Phase) (*Outcome, error) {
	l := a.engine.cfg.Ledger
	if open, is, err := l.OpenOn(ctx, d.Ref); err != nil {
		return nil, a.readFailed(ctx, err)
	} else if is {
		return &Outcome{Ref: d.Ref, Action: d.Action, Status: Stale, Detail: fmt.Sprintf("a %s begun by run %s has no known end: plan again", open.Action, open.Run)}, nil
	}
	others, err := history.New(l.Reader()).ActionsSince(ctx, d.Ref, a.plan.Revision, a.plan.ID)
	if err != nil {
		return nil, a.readFailed(ctx, err)
	}
	if len(others) == 0 {
		return nil, nil
	}
	by := others[len(others)-1]
	stale := &Outcome{Ref: d.Ref, Action: d.Action, Status: Stale, Detail: fmt.Sprintf("run %s acted on it since this plan: plan again", by.Run)}
	there, err := l.Resource(ctx, d.Ref, 0)
	switch {
	case err != nil && !errors.Is(err, ledger.ErrNotFound):
		return nil, a.readFailed(ctx, err)
	case d.Action == decider.Delete && err != nil:
		return &Outcome{Ref: d.Ref, Action: d.Action, Status: ByOther, ClaimedBy: by.User, Detail: "run " + by.Run + " has deleted it"}, nil
	case d.Action == decider.Delete || err != nil || half == decider.DeletePhase:
		return stale, nil
	}
	applied, known, err := l.Applied(ctx, d.Ref, 0)
	if err != nil {
		return nil, a.readFailed(ctx, err)
	}
	if known && applied.Desired == d.DesiredDigest() && there.Managed() && there.Stack == d.Stack {
		a.noteResource(d.Ref, &there.Observed)
		return &Outcome{Ref: d.Ref, Action: d.Action, Status: ByOther, ClaimedBy: by.User, ID: there.ID, Detail: "run " + by.Run + " has done it"}, nil
	}
	return stale, nil
}

// readFailed is why the record could not be asked. A claim that was lost meanwhile stops this
// action; anything else stops the apply.
func (a *apply) readFailed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, coordinator.ErrLost) {
		return cause
	}
	return a.fail(err)
}
