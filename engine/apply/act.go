package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
)

// act performs one phase of a decision under its claim. Between the plan and the claim another run
// may have acted on the resource, so the decision is checked again first, by the record alone. It
// returns Interrupted if the apply ends before the claim is acquired, and checks that again under
// the claim, because the wait may take long.
func (a *apply) act(d *decider.Decision, phase decider.Phase) Outcome {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was interrupted first"}
	key := phaseOf{d.Ref, phase}
	ctx, acquired, stop := a.untilAcquired(key)
	defer stop()
	err := renamer{a}.hold(ctx, d, func(ctx context.Context, c parts.Claim) error {
		acquired()
		// While the step only waits, a newer configuration of its resource ends its context; see
		// Control.EndWait.
		ctx, end := a.slots.stepping(ctx, key)
		defer end()
		if a.stopped() || !a.o.Control.mayStart(key) {
			return nil
		}
		outdated, err := a.recheck(ctx, d, phase)
		if outdated != nil || err != nil {
			if outdated != nil {
				out = *outdated
			}
			return err
		}
		// The rename is recorded before the call. After a crash between the two, the record has the
		// new name, and the next plan proposes the rest under it.
		if outdated, err = (renamer{a}).rename(ctx, c, d, key); outdated != nil || err != nil {
			if outdated != nil {
				out = *outdated
			}
			return err
		}
		out = a.perform(ctx, c, d, phase)
		return nil
	})
	// A step that a yield stopped is reported as left to the newer configuration, and not as
	// interrupted.
	if out = a.afterHold(out, err); out.Status == Interrupted && !a.stopped() && !a.o.Control.mayStart(key) {
		return left(d)
	}
	return out
}

// afterHold adds the error of Hold to an outcome without a call. A claim of another instance is not
// a failure: its run does the work, and the next plan sees the result.
func (a *apply) afterHold(out Outcome, err error) Outcome {
	var claimed *coordinator.ClaimedError
	switch {
	// After a call the outcome has the result, whatever happened to the claim since.
	case err == nil || out.Status.called():
	case errors.As(err, &claimed):
		out.Status, out.Err, out.Detail = Claimed, err, err.Error()
		out.ClaimedBy = claimed.Claim.User + "@" + claimed.Claim.Host
	case errors.Is(err, coordinator.ErrLost):
		out.Status, out.Err, out.Detail = Claimed, err, "the claim was lost before it started"
	// The apply yielded, was interrupted or cannot record its actions. The outcome stays as given.
	case errors.Is(err, errYielded), a.soft.Err() != nil || a.hard.Err() != nil || a.broken() != nil:
	// Nothing was called, so the failure says nothing about the configuration.
	default:
		out.Status, out.Err, out.Detail = Unprepared, err, err.Error()
		out.Cause, out.Passes = provider.Unreachable, true
	}
	return out
}

// untilAcquired makes the context of a Hold: the first Ctrl-C and a yield cancel the wait for the
// claim, but not the work under it; the second Ctrl-C cancels that too. A yield does not cancel the
// wait of a step that is owed. Once acquired is called, only the hard context ends the work. stop
// must be called in any case, or the hook stays until the apply ends.
func (a *apply) untilAcquired(key phaseOf) (ctx context.Context, acquired func(), stop func()) {
	ctx, cancel := context.WithCancelCause(a.hard)
	var mu sync.Mutex
	// It is set once the claim is acquired. From then on, only the hard context may cut the work
	// off.
	working := false
	endsWith := func(waits context.Context) (unhook func() bool) {
		return context.AfterFunc(waits, func() {
			mu.Lock()
			defer mu.Unlock()
			if !working && (a.soft.Err() != nil || !a.o.Control.isOwed(key)) {
				cancel(context.Cause(waits))
			}
		})
	}
	// A yield can make this step an owed one, which still ends with the first Ctrl-C.
	unhookYield, unhookSoft := endsWith(a.toStart), endsWith(a.soft)
	acquired = func() {
		mu.Lock()
		defer mu.Unlock()
		working = true
	}
	return ctx, acquired, func() { unhookYield(); unhookSoft(); cancel(nil) }
}

// recheck checks, under the claim, whether another run acted on the resource since the plan. It
// returns an outcome if the decision is done already or outdated. It relies on the record and not
// on an observation: the claim excludes other runs of ovi. An action that was done already in the
// same way is a success of this apply too.
func (a *apply) recheck(ctx context.Context, d *decider.Decision, phase decider.Phase) (*Outcome, error) {
	l := a.engine.Ledger
	if open, is, err := l.OpenOn(ctx, d.Ref); err != nil {
		return nil, a.readFailed(ctx, err)
	} else if is && !(open.Accepted && plan.Supersedes(a.engine.Kind(d.Ref), d, open)) {
		return &Outcome{
			Ref: d.Ref, Action: d.Action, Status: Stale,
			Detail: fmt.Sprintf("a %s started by run %s has no recorded result: plan again", open.Action, open.Run),
		}, nil
	}
	// Actions of this plan are not among the others: the phases of a replace must not stop each
	// other.
	others, err := history.New(l.Reader()).ActionsSince(ctx, d.Ref, a.plan.Revision, a.plan.ID)
	if err != nil {
		return nil, a.readFailed(ctx, err)
	}
	if len(others) == 0 {
		return nil, nil
	}
	by := others[len(others)-1]
	stale := &Outcome{
		Ref: d.Ref, Action: d.Action, Status: Stale,
		Detail: fmt.Sprintf("run %s acted on it since this plan: plan again", by.Run),
	}
	have, err := l.Resource(ctx, d.Ref, 0)
	switch {
	case err != nil && !errors.Is(err, ledger.ErrNotFound):
		return nil, a.readFailed(ctx, err)
	// The record has no such resource any more: another run has done the delete.
	case d.Action == decider.Delete && err != nil:
		return &Outcome{
			Ref: d.Ref, Action: d.Action, Status: ByOther, ClaimedBy: by.User, Detail: "run " + by.Run + " has deleted it",
		}, nil
	case d.Action == decider.Delete || err != nil || phase == decider.DeletePhase:
		return stale, nil
	}
	applied, known, err := l.Applied(ctx, d.Ref, 0)
	if err != nil {
		return nil, a.readFailed(ctx, err)
	}
	// The other run applied the same configuration. Nothing is left to do, and what refers to the
	// resource gets its values.
	if known && applied.Desired == d.DesiredDigest() && have.Managed() {
		a.noteResource(d.Ref, &have.Observed)
		return &Outcome{
			Ref: d.Ref, Action: d.Action, Status: ByOther, ClaimedBy: by.User, ID: have.ID,
			Detail: "run " + by.Run + " has done it",
		}, nil
	}
	return stale, nil
}
