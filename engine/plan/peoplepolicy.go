package plan

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/decider"
)

// PeoplePolicy is the name of the policy that asks for a signed approval where a roster of people exists.
const PeoplePolicy = "people"

// peoplePolicy blocks what lowers a protection without a signed approval of the plan: to forget a resource, and to
// destroy a stack that has a blessed resource or is under a required policy.
type peoplePolicy struct {
	protected func(stack string) bool
}

// people returns the policy, if there is a roster.
func (e *Planner) people(ctx context.Context, m *memory) ([]decider.Policy, error) {
	guards, err := e.Ledger.Guards(ctx)
	if err != nil || len(guards) == 0 {
		return nil, err
	}
	required, err := e.Ledger.RequiredPolicies(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the required policies: %w", err)
	}
	return []decider.Policy{peoplePolicy{func(stack string) bool {
		for ref, blessed := range m.blessed {
			if blessed && ref.Stack == stack {
				return true
			}
		}
		return len(required) > 0
	}}}, nil
}

// Name implements decider.Policy.
func (peoplePolicy) Name() string { return PeoplePolicy }

// Review implements decider.Policy.
func (x peoplePolicy) Review(p decider.Plan, f decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	asked, signed := false, false
	for i := range p.Decisions {
		d := &p.Decisions[i]
		forgets := d.Action == decider.Forget
		if !forgets && !(f.Destroy && d.Action.Destroys() && x.protected(d.Ref.Stack)) {
			continue
		}
		if !asked {
			asked, signed = true, signedApproval(p, f)
		}
		if signed {
			continue
		}
		b := decider.Blocker{
			Approvers: 1, Signed: true, Reason: "the roster has keys of people, and none of them has approved this plan",
			Suggestion: "save the plan with --out FILE, then run `ovi approve FILE --sign KEYFILE` and `ovi apply FILE`",
		}
		out[i] = b
	}
	return out, nil
}

// signedApproval reports whether a person on the roster approved a plan.
func signedApproval(p decider.Plan, f decider.Facts) bool {
	if f.Approvals == nil {
		return false
	}
	digest := p.Digest()
	if f.Digest != nil {
		digest = f.Digest(p)
	}
	for _, a := range f.Approvals(digest) {
		if a.Signed && !a.Used {
			return true
		}
	}
	return false
}
