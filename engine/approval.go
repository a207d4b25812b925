package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// ErrNothingToApprove: nothing in the plan would be done, or nothing of it may ever be.
var ErrNothingToApprove = errors.New("the plan proposes nothing")

// Approve puts on record that somebody approves of what a loaded plan proposes, until a
// moment. It binds to the proposals, not to the file: whatever plan proposes the same of the
// same things is approved, and nothing else. The same person twice is one person, whose last
// word counts.
func (e *Engine) Approve(ctx context.Context, p *Planned, a OperatorAction, until time.Time) (event.Approved, error) {
	if p.Mode == event.ForDrift || !proposes(p.Plan) {
		return event.Approved{}, ErrNothingToApprove
	}
	event := event.Approved{
		Plan: p.ID, Hash: p.Hash, Who: a.Who, How: "ovi approve", Until: until.UTC().Round(0), Digest: p.Plan.Digest(), Reason: a.Reason,
	}
	if _, err := e.cfg.Ledger.Record(ctx, event); err != nil {
		return event, fmt.Errorf("approve the plan: %w", err)
	}
	return event, nil
}

func proposes(p decider.Plan) bool {
	for i := range p.Decisions {
		if p.Decisions[i].Proposed.Executes() {
			return true
		}
	}
	return false
}

// approvals answers who approves of a digest at a moment.
func (m *memory) approvals(now time.Time) func(string) []decider.Approval {
	return func(digest string) []decider.Approval {
		all, err := m.approvalsOn(digest)
		m.approvalErr = errors.Join(m.approvalErr, err)
		var out []decider.Approval
		for _, c := range all {
			if c.Holds(now) {
				out = append(out, decider.Approval{Who: c.Who, At: c.At})
			}
		}
		return out
	}
}

// proposedAction is what a saved plan was going to do: what it did, and what only waited for people
// or for its time. What held back others by that is decided anew when the plan is done.
func proposedAction(d *decider.Decision) decider.Action {
	for _, v := range d.Blockers {
		if v.Approvers == 0 && v.Until == nil && v.Policy != decider.BlockedByDependency {
			return d.Action
		}
	}
	return d.Proposed
}

// blessings are the facts that wishes to bless have become: things that stand there, and are
// not on record as blessed yet. The record protects them when block and mark are gone.
func (a *apply) blessings() []event.Event {
	var out []event.Event
	for _, in := range a.plan.Intents {
		for i := range in.Resources {
			d := &in.Resources[i]
			if !d.Blessed || a.plan.isBlessed(d.Ref) {
				continue
			}
			if o, ok := a.plan.resourceAt(d.Ref); ok && o.Marks.Blessed && o.Stack == in.Stack {
				out = append(out, a.blessing(d))
			}
		}
	}
	return out
}

// blessing is the fact that a wish to bless becomes once it is done.
func (a *apply) blessing(d *resource.Desired) event.Blessed {
	reason := "the wish says blessed"
	if d.At.File != "" {
		reason += fmt.Sprintf(" (%s:%d)", d.At.File, d.At.Line)
	}
	return event.Blessed{Ref: d.Ref, On: true, Who: a.engine.cfg.Ledger.User(), Reason: reason}
}

// blesses says that the end of a decision makes a blessing a fact.
func (a *apply) blesses(d *decider.Decision, end event.Finished) bool {
	return !a.operator && d.Desired != nil && d.Desired.Blessed && end.Outcome == event.Done &&
		end.Resource != nil && end.Resource.Marks.Blessed && !a.plan.isBlessed(d.Ref)
}

// isBlessed says what the record knew when the plan was made.
func (p *Planned) isBlessed(r resource.Ref) bool { return p.blessed[r] }
