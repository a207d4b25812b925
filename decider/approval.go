package decider

import (
	"fmt"
	"slices"
	"strings"
)

// Approvals blocks the actions for which a stack's rules require approval, until enough different
// operators have approved this plan.
type Approvals struct{}

// Name implements Policy.
func (Approvals) Name() string { return "approvals" }

// Review implements Policy.
func (Approvals) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	var approved []string
	for i := range p.Decisions {
		d := &p.Decisions[i]
		approvers := 0
		for _, rule := range f.Rules[d.Ref.Stack].Approvals {
			if d.Proposed.Executes() && rule.Covers(string(d.Proposed), d.Ref.Kind) {
				approvers = max(approvers, rule.Approvers, 1)
			}
		}
		if approvers == 0 {
			continue
		}
		if approved == nil {
			approved = f.ApprovedBy(p)
		}
		if b, blocked := MissingApprovals(approved, approvers); blocked {
			out[i] = b
		}
	}
	return out, nil
}

// ApprovedBy lists the operators who approved this plan, each once. It is never nil.
func (f Facts) ApprovedBy(p Plan) []string {
	out := []string{}
	if f.Approvals == nil {
		return out
	}
	digest := ""
	if f.Digest != nil {
		digest = f.Digest(p)
	} else {
		digest = p.Digest()
	}
	for _, a := range f.Approvals(digest) {
		if !slices.Contains(out, a.Who) {
			out = append(out, a.Who)
		}
	}
	return out
}

// MissingApprovals returns the Blocker of an action that needs more approvers than it has.
func MissingApprovals(by []string, approvers int) (Blocker, bool) {
	if len(by) >= approvers {
		return Blocker{}, false
	}
	has := ""
	if len(by) > 0 {
		has = " (" + strings.Join(by, ", ") + ")"
	}
	return Blocker{
		Policy: Approvals{}.Name(), Approvers: approvers,
		Reason:     fmt.Sprintf("%d of %d%s", len(by), approvers, has),
		Suggestion: "save the plan with --out FILE, run `ovi approve FILE`, then `ovi apply FILE`",
	}, true
}
