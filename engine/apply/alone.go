package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// excludedError reports an action that another one excludes, which started first.
type excludedError struct {
	other ledger.OpenAction
	why   string
}

func (x *excludedError) Error() string {
	return fmt.Sprintf("%s: the %s of %s has been running since %s, by run %s; it waits for the end of that action",
		x.why, x.other.Action, x.other.Ref.Short(), x.other.At.UTC().Format(time.RFC3339), x.other.Run)
}

// OwnText is the whole text.
func (x *excludedError) OwnText() (text string, whole bool) { return x.Error(), true }

// turnedBack is the outcome of an action that turned back before its call.
func turnedBack(ctx context.Context, out Outcome) Outcome {
	// The claim was lost, or the apply was interrupted. No other action excluded this one.
	if not := (*notCalledError)(nil); errors.As(out.Err, &not) && stopped(ctx, &out) {
		return out
	}
	out.Status, out.Passes = Claimed, true
	if out.Err != nil {
		out.Detail = out.Err.Error()
	}
	var excluded *excludedError
	if errors.As(out.Err, &excluded) {
		out.ClaimedBy = excluded.other.User
	}
	return out
}

// callAlone calls the provider unless an action that excludes this one started before it. Plans
// keep such actions apart; two plans that were made at the same time cannot know of each other. The
// start was recorded at a revision of the store, which gives both actions the same order: the later
// one turns back. At revision 0 nothing is compared. The error then is an *excludedError, the
// provider was not called, and the action counts as not called.
func (a *apply) callAlone(
	ctx context.Context, at storage.Revision, started event.Started, v verb, r *provider.Request,
) (*resource.Observed, int, error) {
	if at > 0 {
		if err := (exclusion{a}).excluded(ctx, at, started); err != nil {
			return nil, 0, err
		}
	}
	return a.call(ctx, v, r)
}

// exclusion finds actions of other applies that must not run at the same time as an action of this one.
type exclusion struct{ *apply }

// excluded returns the reason why an action must not run now. If the record cannot be read, nothing
// is called. Actions that have no result but were accepted or failed are not in the way: their
// calls have ended. The order of the revisions is the same for both applies, so only the later
// action turns back.
func (a exclusion) excluded(ctx context.Context, at storage.Revision, mine event.Started) error {
	others, err := a.opened.Before(context.WithoutCancel(ctx), a.engine.Ledger.Reader(), at)
	if err != nil {
		return a.readFailed(ctx, err)
	}
	needs, err := a.needsOf(ctx, mine)
	if err != nil {
		return a.readFailed(ctx, err)
	}
	for _, o := range others {
		if o.Ref == mine.Ref || o.Accepted || o.Failed {
			continue
		}
		switch {
		// The other action deletes a resource that this one depends on.
		case takesDown(o.Started) && slices.Contains(needs, o.Ref):
			return &excludedError{*o, "it depends on " + o.Ref.Short()}
		// This action deletes a resource, on which the other one may depend.
		case takesDown(mine):
			theirs, err := a.needsOf(ctx, o.Started)
			if err != nil {
				return a.readFailed(ctx, err)
			}
			if slices.Contains(theirs, mine.Ref) {
				return &excludedError{*o, o.Ref.Short() + " depends on it"}
			}
		// Both apply a configuration, and exclude each other if they take the same exclusive thing, such as a port.
		case mine.Applying != nil && o.Applying != nil:
			if thing, clash := comparator.Clash(a.heldBy(mine), a.heldBy(o.Started)); clash {
				return &excludedError{*o, fmt.Sprintf("%s takes %s, too", o.Ref.Short(), thing)}
			}
		}
	}
	return nil
}

// takesDown reports whether an action, or its phase or step, deletes its resource.
func takesDown(s event.Started) bool {
	return s.Phase == event.PhaseDelete || s.Action == decider.Delete && s.Phase == ""
}

// needsOf lists the resources that an action needs while it runs: those that the configuration depends on and, for a
// delete, those that the configuration which was applied last depends on.
func (a exclusion) needsOf(ctx context.Context, s event.Started) ([]resource.Ref, error) {
	if s.Applying != nil {
		return s.Applying.DependsOn, nil
	}
	last, _, err := a.engine.Ledger.Applied(ctx, s.Ref, storage.Now)
	return last.DependsOn, err
}

// heldBy returns the exclusive things that the configuration of an action takes. The action must apply one: a delete
// takes nothing.
func (a exclusion) heldBy(s event.Started) []resource.Hold {
	return a.engine.Kind(s.Ref).HeldAs(s.Ref, s.Applying.Attrs, s.Applying.State)
}
