package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// ErrNothingToApprove: the plan proposes no action, or cannot be applied.
var ErrNothingToApprove = errors.New("the plan proposes nothing")

// Approve records an operator's approval of what a loaded plan proposes, valid until a time. The
// approval is of the proposals, not of the file: any plan that proposes the same actions on the
// same resources is approved, and no other. An operator's newest approval replaces the earlier
// ones.
//
// With OperatorAction.Sign it is signed; who then counts is the owner of the key.
func (e *Engine) Approve(ctx context.Context, p *Planned, a OperatorAction, until time.Time) (event.Approved, error) {
	if p.Mode == event.ForDrift || !proposes(p.Plan) {
		return event.Approved{}, ErrNothingToApprove
	}
	approved := event.Approved{
		Plan: p.ID, Hash: p.Hash, Who: a.Who, How: "ovi approve", Until: until.UTC().Round(0), Digest: p.Plan.Digest(), Reason: a.Reason,
	}
	by, who, err := e.signed(ctx, a, func(who string) []byte {
		approved.Who = who
		return approved.Statement(e.cfg.Ledger.Instance())
	})
	if err != nil {
		return approved, fmt.Errorf("approve the plan: %w", err)
	}
	approved.Who, approved.SignedBy = who, by
	if _, err := e.cfg.Ledger.Record(ctx, approved); err != nil {
		return approved, fmt.Errorf("approve the plan: %w", err)
	}
	return approved, nil
}

func proposes(p decider.Plan) bool {
	for i := range p.Decisions {
		if p.Decisions[i].Proposed.Executes() {
			return true
		}
	}
	return false
}

// approvals lists the approvals of a digest that have not expired at a time.
func (m *memory) approvals(now time.Time) func(string) []decider.Approval {
	return func(digest string) []decider.Approval {
		all, err := m.approvalsOn(digest)
		m.approvalErr = errors.Join(m.approvalErr, err)
		var out []decider.Approval
		for _, c := range all {
			if c.Holds(now) {
				out = append(out, decider.Approval{Who: c.Who, At: c.At, Used: c.Used != "", Signed: c.Signed})
			}
		}
		return out
	}
}

// rest notes which decisions rest on approvals, and on which: to start one uses them.
func (p *Planned) rest(m *memory, facts decider.Facts, policies []decider.Policy) {
	p.approval = &event.Approval{Digest: p.approving}
	if p.approving == "" {
		p.approval.Digest = p.Plan.Digest()
	}
	all, err := m.approvalsOn(p.approval.Digest)
	m.approvalErr = errors.Join(m.approvalErr, err)
	for _, c := range all {
		if c.Holds(p.At) && c.Used == "" {
			p.approval.By = append(p.approval.By, c.Record)
		}
	}
	if len(p.approval.By) > 0 {
		p.resting = decider.RestOnApproval(p.Plan, facts, policies...)
	}
}

// proposedAction is the action that a saved plan may perform: its own, or the proposed one if it
// was blocked only until an approval or a time. Dependents that were blocked for that reason are
// decided again when the plan is applied.
func proposedAction(d *decider.Decision) decider.Action {
	for _, v := range d.Blockers {
		if v.Approvers == 0 && v.Until == nil && v.Policy != decider.BlockedByDependency {
			return d.Action
		}
	}
	return d.Proposed
}

// blessings are the resources that are configured as blessed and have the mark, but are not yet
// recorded as blessed. Once recorded, they stay protected without the configuration and the mark.
func (a *apply) blessings() []event.Event {
	var out []event.Event
	for _, in := range a.plan.Intents {
		for i := range in.Resources {
			d := &in.Resources[i]
			if !d.Blessed || a.plan.isBlessed(d.Ref) {
				continue
			}
			if o, ok := a.plan.resourceAt(d.Ref); ok && o.Marks.Blessed {
				out = append(out, a.blessing(d))
			}
		}
	}
	return out
}

// blessing is the event for a resource that is configured as blessed.
func (a *apply) blessing(d *resource.Desired) event.Blessed {
	reason := "configured as blessed"
	if d.At.File != "" {
		reason += " (" + d.At.String() + ")"
	}
	return event.Blessed{Ref: d.Ref, On: true, Who: a.engine.cfg.Ledger.User(), Reason: reason}
}

// blesses reports whether the result of a decision is to be recorded as a blessing.
func (a *apply) blesses(d *decider.Decision, end event.Finished) bool {
	return !a.operator && d.Desired != nil && d.Desired.Blessed && end.Outcome == event.Done &&
		end.Resource != nil && end.Resource.Marks.Blessed && !a.plan.isBlessed(d.Ref)
}

// isBlessed reports whether a resource was recorded as blessed when the plan was made.
func (p *Planned) isBlessed(r resource.Ref) bool { return p.blessed[r] }
