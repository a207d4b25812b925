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
		for _, rule := range f.Rules[d.Ref.Stack].Approvals {
			if !d.Proposed.Executes() || !d.coveredBy(rule.Covers) {
				continue
			}
			if approved == nil {
				approved = f.Approvers(p)
			}
			b, blocked := approved.Missing(max(rule.Approvers, 1), rule.Signed)
			if was, held := out[i]; blocked && (!held || b.Signed && !was.Signed || b.Signed == was.Signed &&
				b.Approvers > was.Approvers) {
				out[i] = b
			}
		}
	}
	return out, nil
}

// Approvers are the operators who approved a plan, each once: the operators whose approval counts, the ones
// among them who signed it, and the ones whose approval an earlier plan used.
type Approvers struct {
	Counted, Signed, Used []string
	Requester             string // made the plan, and signed an approval of it, which counts as unsigned
	// Outdated: the saved plan has been applied in part or no longer proposes the same, so its approvals do not count.
	Outdated bool
}

// Approvers lists the operators who approved this plan.
func (f Facts) Approvers(p Plan) *Approvers {
	out := &Approvers{}
	digest := ""
	if f.Digest != nil {
		digest = f.Digest(p)
	} else {
		digest = p.Digest()
	}
	out.Outdated = f.SavedDigest != "" && f.SavedDigest != digest
	if f.Approvals == nil {
		return out
	}
	for _, a := range f.Approvals(digest) {
		switch {
		case a.Used:
			once(&out.Used, a.Who)
			continue
		case a.Signed && a.Who == f.Requester:
			out.Requester = a.Who
		case a.Signed:
			once(&out.Signed, a.Who)
		}
		once(&out.Counted, a.Who)
	}
	return out
}

func once(all *[]string, name string) {
	if !slices.Contains(*all, name) {
		*all = append(*all, name)
	}
}

// Missing returns the Blocker of an action that needs more approvals, or more signed ones, than there are.
func (a *Approvers) Missing(needs int, signed bool) (Blocker, bool) {
	has, of, flag := a.Counted, "", ""
	if signed {
		has, of, flag = a.Signed, " signed", " --sign KEYFILE"
	}
	if len(has) >= needs {
		return Blocker{}, false
	}
	text := fmt.Sprintf("%d of %d%s", len(has), needs, of)
	if len(has) > 0 {
		text += " (" + strings.Join(has, ", ") + ")"
	}
	if signed && a.Requester != "" {
		text += "; " + a.Requester + " made the plan"
	}
	if n := len(a.Counted) - len(a.Signed); signed && a.Requester == "" && n > 0 {
		text += fmt.Sprintf("; %d not signed", n)
	}
	if len(a.Used) > 0 {
		text += "; used by an earlier plan: " + strings.Join(a.Used, ", ")
	}
	next := "save the plan with --out FILE, run `ovi approve FILE" + flag + "`, then `ovi apply FILE`"
	if a.Outdated {
		text += "; the saved plan was applied in part or has changed, and its approvals do not count"
		next = "save a new plan with --out FILE, run `ovi approve FILE" + flag + "`, then `ovi apply FILE`"
	}
	return Blocker{
		Policy: Approvals{}.Name(), Approvers: needs, Signed: signed, Reason: text, Suggestion: next,
	}, true
}

// RestOnApproval returns the decisions that policies would block without the approvals of the plan.
func RestOnApproval(p Plan, f Facts, policies ...Policy) map[resource.Ref]bool {
	out := map[resource.Ref]bool{}
	f.Approvals = nil
	var r reviews
	for _, policy := range policies {
		blockers, err := policy.Review(r.copyOf(p), f)
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
