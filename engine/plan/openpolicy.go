package plan

import (
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// openActionPolicy blocks every action on a resource whose last action has no result, and what
// depends on one that is in progress.
type openActionPolicy struct {
	open  map[resource.Ref]ledger.OpenAction
	kinds decider.Kinds
	// recoverable fails if this instance does not recover an action, because only a pinned key signed that it started.
	recoverable func(ledger.OpenAction) error
}

// Supersedes reports whether a new configuration may be applied while another is in progress. A resource
// that is being deleted is created again only once it is gone, so that its binding ends with the proof of
// the deletion.
func Supersedes(k resource.Kind, d *decider.Decision, o ledger.OpenAction) bool {
	deletes := o.Action == decider.Delete || o.Phase == event.PhaseDelete
	return k.Supersede && !deletes && d.DesiredDigest() != o.Desired
}

// supersedes applies Supersedes to the kind of a decision.
func (u openActionPolicy) supersedes(d *decider.Decision, o ledger.OpenAction) bool {
	k, _ := u.kinds(d.Ref.Provider, d.Ref.Kind)
	return Supersedes(k, d, o)
}

// Name implements decider.Policy.
func (openActionPolicy) Name() string { return OpenActionPolicy }

// Review implements decider.Policy. An action without a result may still change the resource, and a
// second one at the same time could undo or repeat it.
func (u openActionPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		o, open := u.open[p.Decisions[i].Ref]
		if was := p.Decisions[i].Renamed; !open && !was.IsZero() {
			o, open = u.open[was]
		}
		switch {
		case !open:
			if b, waits := u.waits(&p.Decisions[i]); waits {
				out[i] = b
			}
		case o.Accepted && u.supersedes(&p.Decisions[i], o):
		case o.Accepted:
			out[i] = decider.Blocker{
				Reason: fmt.Sprintf("a %s was accepted and is in progress", o.Action), Until: &o.Deadline,
			}
		default:
			b, err := u.withoutResult(o)
			if err != nil {
				return nil, err
			}
			out[i] = b
		}
	}
	return out, nil
}

// withoutResult returns the Blocker of a resource whose last action has no result.
func (u openActionPolicy) withoutResult(o ledger.OpenAction) (decider.Blocker, error) {
	b := decider.Blocker{
		Reason: fmt.Sprintf("a %s started at %s by run %s has no recorded result",
			o.Action, o.At.UTC().Format(time.RFC3339), o.Run),
		Suggestion: "remove the ovi tags from all but one of the resources with its name, " +
			"or run `ovi adopt` for the right one, and plan again",
	}
	if u.recoverable == nil {
		return b, nil
	}
	var why *ledger.UnprovenError
	switch err := u.recoverable(o); {
	case errors.As(err, &why) && why.Next != "":
		b.Reason += ", and is not recovered: " + why.Why
		b.Suggestion = why.Next
	case err != nil && why == nil:
		return b, fmt.Errorf("prove the open action on %s: %w", o.Ref, err)
	}
	return b, nil
}

// waits returns the Blocker of a decision that depends on a resource which is in progress.
func (u openActionPolicy) waits(d *decider.Decision) (decider.Blocker, bool) {
	if d.Desired == nil || len(u.open) == 0 {
		return decider.Blocker{}, false
	}
	for _, r := range d.Desired.Refs() {
		if o, open := u.open[r]; open && o.Accepted {
			return decider.Blocker{
				Reason: fmt.Sprintf("it depends on %s, whose %s is in progress", r.Short(), o.Action), Until: &o.Deadline,
			}, true
		}
	}
	return decider.Blocker{}, false
}

// OpenActionPolicy is the name of the policy that blocks resources with an open action.
const OpenActionPolicy = "open_action"
