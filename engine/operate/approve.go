package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger/event"
)

// ErrNothingToApprove: the plan proposes no action, or cannot be applied.
var ErrNothingToApprove = errors.New("the plan proposes nothing")

// Approve records an operator's approval of the proposals of a loaded plan, valid until a time. The
// approval covers the proposals, not the file: any plan that proposes the same actions on the same
// resources is approved, and no other. An operator's newest approval replaces the earlier ones.
//
// With OperatorAction.Sign it is signed; who then counts is the owner of the key.
func (e *Operator) Approve(
	ctx context.Context, p *plan.Planned, a OperatorAction, until time.Time,
) (event.Approved, error) {
	if p.Mode == event.ForDrift || !proposes(p.Plan) {
		return event.Approved{}, ErrNothingToApprove
	}
	approved := event.Approved{
		Plan: p.ID, Hash: p.Hash, Who: a.Who, How: "ovi approve", Until: until.UTC().Round(0), Digest: p.Plan.Digest(),
		Reason: a.Reason,
	}
	by, who, err := e.signed(ctx, a, func(who string) []byte {
		approved.Who = who
		return approved.Statement(e.plan.Ledger.Instance())
	})
	if err != nil {
		return approved, fmt.Errorf("approve the plan: %w", err)
	}
	approved.Who, approved.SignedBy = who, by
	if _, err := e.plan.Ledger.Record(ctx, approved); err != nil {
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
