package decider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Approvals blocks the actions for which a stack's rules require approval, until enough different
// operators have approved this plan.
type Approvals struct{}

// Name implements Policy.
func (Approvals) Name() string { return "approvals" }

// Review implements Policy.
func (Approvals) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	var approved *Approvers
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
			approved = f.Approvers(p)
		}
		if b, blocked := approved.Missing(approvers); blocked {
			out[i] = b
		}
	}
	return out, nil
}

// Approvers are the operators who approved a plan, each once: those whose approval counts, and those
// whose approval an earlier plan used.
type Approvers struct{ Counted, Used []string }

// Approvers lists the operators who approved this plan.
func (f Facts) Approvers(p Plan) *Approvers {
	out := &Approvers{}
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
		to := &out.Counted
		if a.Used {
			to = &out.Used
		}
		if !slices.Contains(*to, a.Who) {
			*to = append(*to, a.Who)
		}
	}
	return out
}

// Missing returns the Blocker of an action that needs more approvals than there are.
func (a *Approvers) Missing(needs int) (Blocker, bool) {
	if len(a.Counted) >= needs {
		return Blocker{}, false
	}
	has := ""
	if len(a.Counted) > 0 {
		has = " (" + strings.Join(a.Counted, ", ") + ")"
	}
	if len(a.Used) > 0 {
		has += "; used by an earlier plan: " + strings.Join(a.Used, ", ")
	}
	return Blocker{
		Policy: Approvals{}.Name(), Approvers: needs,
		Reason:     fmt.Sprintf("%d of %d%s", len(a.Counted), needs, has),
		Suggestion: "save the plan with --out FILE, run `ovi approve FILE`, then `ovi apply FILE`",
	}, true
}

// RestOnApproval returns the decisions that policies would block without the approvals of the plan.
func RestOnApproval(p Plan, f Facts, policies ...Policy) map[resource.Ref]bool {
	out := map[resource.Ref]bool{}
	f.Approvals = nil
	for _, policy := range policies {
		blockers, err := policy.Review(copyOf(p), f)
		if err != nil {
			continue // it blocked them already
		}
		for i, b := range blockers {
			if i >= 0 && i < len(p.Decisions) && b.Approvers > 0 && p.Decisions[i].Action.Executes() {
				out[p.Decisions[i].Ref] = true
			}
		}
	}
	return out
}
