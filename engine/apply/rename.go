package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// renamer records renames for an apply, and removals that change the record alone.
type renamer struct{ *apply }

// hold calls do under the claim of a decision's resource and, if it is renamed, under the claim of
// its former name too. Both names are claimed, since another run could otherwise act on the
// resource under the former one.
func (a renamer) hold(ctx context.Context, d *decider.Decision, do func(context.Context, parts.Claim) error) error {
	if d.Renamed.IsZero() {
		return a.engine.Claims.Hold(ctx, d.Ref.String(), do)
	}
	return a.engine.HoldBoth(ctx, d.Ref, d.Renamed, do)
}

// rename records the new name of a resource when its decision starts, before anything else. It returns an outcome if
// one of the names was used since the plan. A later phase of the decision finds the rename done. A rename passes the
// gate of its step, so that none is recorded after a yield, unless the step is owed. The proof under the former name is
// required, because the record of the rename proves the resource under the new one.
func (a renamer) rename(
	ctx context.Context, c parts.Claim, d *decider.Decision, key phaseOf,
) (*Outcome, error) {
	if d.Renamed.IsZero() || d.Observed == nil || a.isRenamed(d.Ref) {
		return nil, nil
	}
	stale, err := a.unfitToRename(ctx, d)
	if err != nil {
		return nil, a.readFailed(ctx, err)
	}
	if stale != "" {
		return &Outcome{Ref: d.Ref, Action: d.Action, Status: Stale, Detail: stale + ": plan again"}, nil
	}
	moved := event.Moved{
		Ref: d.Ref, From: d.Renamed, ID: d.Observed.ID, Who: a.engine.Ledger.User(), Plan: a.plan.ID,
		ByIdentity: !a.isDeclared(d.Ref), Reason: "renamed in the configuration",
	}
	events, err := a.engine.Renaming(ctx, moved)
	switch {
	case errors.Is(err, ledger.ErrUnproven):
		why := &unprovenError{d.Renamed, d.Observed.ID, err}
		return &Outcome{Ref: d.Ref, Action: d.Action, Status: Stale, Err: why, Detail: why.Error()}, nil
	case err != nil:
		return nil, a.readFailed(ctx, err)
	}
	guard := coordinator.Guard(c.Ref, c.Token)
	if err := a.o.Control.gate(key, a.recorder(ctx, d.Ref, guard, new(storage.Revision), events...)); err != nil {
		out := a.notStarted(Outcome{Ref: d.Ref, Action: d.Action}, err)
		return &out, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.renamed[d.Ref] = true
	return nil, nil
}

// unfitToRename returns the reason why a rename can no longer be recorded; "" if it can. It is
// called under both claims, so the answer holds until they end.
func (a renamer) unfitToRename(ctx context.Context, d *decider.Decision) (string, error) {
	l := a.engine.Ledger
	now, err := l.Binding(ctx, d.Renamed)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return d.Renamed.Short() + " was deleted or renamed since this plan", nil
	case err != nil:
		return "", err
	case now.ID != d.Observed.ID:
		return fmt.Sprintf("%s is %s now", d.Renamed.Short(), now.ID), nil
	}
	if other, err := l.Binding(ctx, d.Ref); err == nil {
		return fmt.Sprintf("%s has the new name now", other.ID), nil
	} else if !errors.Is(err, ledger.ErrNotFound) {
		return "", err
	}
	// The records of an open action and of a replacement have the name in them. They must end before it changes.
	for _, ref := range []resource.Ref{d.Renamed, d.Ref} {
		if _, open, err := l.OpenOn(ctx, ref); err != nil || open {
			return "an action on " + ref.Short() + " has no recorded result", err
		}
		if _, open, err := l.Replacement(ctx, ref); err != nil || open {
			return ref.Short() + " is being replaced", err
		}
	}
	others, err := history.New(l.Reader()).ActionsSince(ctx, d.Renamed, a.plan.Revision, a.plan.ID)
	if err != nil || len(others) == 0 {
		return "", err
	}
	return fmt.Sprintf("run %s acted on %s since this plan", others[len(others)-1].Run, d.Renamed.Short()), nil
}

// isRenamed reports whether this apply has recorded the rename to a name.
func (a renamer) isRenamed(ref resource.Ref) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.renamed[ref]
}

// stackOf returns the stack whose plan acts on a resource: the resource's own, or the stack that hands it over. The
// version of that stack fences the start of the action.
func stackOf(p *plan.Planned, ref resource.Ref) string {
	if slices.Contains(p.Stacks, ref.Stack) {
		return ref.Stack
	}
	for _, r := range p.Plan.Renames {
		if r.To == ref {
			return r.From.Stack
		}
	}
	return ref.Stack
}

// isDeclared reports whether the configuration names the former name.
func (a renamer) isDeclared(ref resource.Ref) bool {
	for _, r := range a.plan.Plan.Renames {
		if r.To == ref {
			return r.Declared
		}
	}
	return false
}

// forget records that a resource is no longer managed. Nothing else is done to it. The proof is
// checked first: a binding that was moved or ended since the plan is not ended again. The end of the binding is
// recorded as a start, so that a yield and the fence can stop it.
func (a renamer) forget(ctx context.Context, c parts.Claim, d *decider.Decision, out Outcome) Outcome {
	if err := a.prove(ctx, d.Ref, d.Observed.ID); err != nil {
		return notStartable(ctx, out, err)
	}
	e := event.Disowned{
		Ref: d.Ref, ID: d.Observed.ID, Who: a.engine.Ledger.User(), Plan: a.plan.ID, Reason: "removed from the configuration",
	}
	guard := coordinator.Guard(c.Ref, c.Token)
	if _, err := a.recordStart(ctx, phaseOf{d.Ref, decider.CreatePhase}, guard, e); err != nil {
		return a.notStarted(out, err)
	}
	out.Status, out.ID = Done, d.Observed.ID
	return out
}
