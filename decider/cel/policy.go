package cel

import (
	"time"

	"github.com/ovi-project/ovi/decider"
)

// Policy blocks by the rules. It applies to one stack, or to all with an empty stack.
func (r *Rules) Policy(stack string) decider.Warner { return policy{r, stack} }

type policy struct {
	rules *Rules
	stack string
}

func (policy) Name() string { return "rule" }

// Review blocks what rules deny, defer or require approval of. Of several rules that block one
// decision, the first counts that no approval answers.
func (p policy) Review(plan decider.Plan, f decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	var approved *decider.Approvers
	for _, found := range p.findings(plan, f) {
		if _, held := out[found.Index]; held || found.Effect == Warn {
			continue
		}
		v := decider.Blocker{Policy: "rule " + found.Rule, Reason: found.Message}
		switch found.Effect {
		case RequireApproval:
			if approved == nil {
				approved = f.Approvers(plan)
			}
			asked, held := approved.Missing(found.Approvers, found.Signed)
			if !held {
				continue
			}
			v.Approvers, v.Signed, v.Suggestion = asked.Approvers, asked.Signed, asked.Suggestion
			v.Reason += ": approvals " + asked.Reason
		case Defer:
			if found.Until != nil {
				at := time.Unix(*found.Until, 0).UTC()
				if !at.After(f.Now) {
					continue
				}
				v.Until = &at
			}
		}
		out[found.Index] = v
	}
	return out, nil
}

// Warn returns the messages of rules that only warn.
func (p policy) Warn(plan decider.Plan, f decider.Facts) map[int][]decider.Warning {
	out := map[int][]decider.Warning{}
	for _, found := range p.findings(plan, f) {
		if found.Effect == Warn {
			out[found.Index] = append(out[found.Index], decider.Warning{Policy: "rule " + found.Rule, Text: found.Message})
		}
	}
	return out
}

func (p policy) findings(plan decider.Plan, f decider.Facts) []Finding {
	all := p.rules.Judge(plan, f)
	out := all[:0]
	for _, found := range all {
		if p.stack == "" || plan.Decisions[found.Index].Ref.Stack == p.stack {
			out = append(out, found)
		}
	}
	return out
}
