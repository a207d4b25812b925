package decider

import (
	"fmt"
	"slices"
	"strings"
)

// Approvals vetoes what a stack's rules ask people's yes for, until enough different people
// have given it to this very plan.
type Approvals struct{}

// Name implements Policy.
func (Approvals) Name() string { return "approvals" }

// Review implements Policy.
func (Approvals) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	var approved []string
	for i := range p.Decisions {
		d := &p.Decisions[i]
		people := 0
		for _, rule := range f.Rules[d.Stack].Approvals {
			if d.Proposed.Executes() && rule.Covers(string(d.Proposed), d.Ref.Kind) {
				people = max(people, rule.Approvers, 1)
			}
		}
		if people == 0 {
			continue
		}
		if approved == nil {
			approved = f.ApprovedBy(p)
		}
		if v, held := MissingApprovals(approved, people); held {
			out[i] = v
		}
	}
	return out, nil
}

// ApprovedBy are the people who said yes to this very plan, each once; never nil.
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

// MissingApprovals is the veto on what needs so many people's yes and has not got it.
func MissingApprovals(by []string, people int) (Blocker, bool) {
	if len(by) >= people {
		return Blocker{}, false
	}
	has := ""
	if len(by) > 0 {
		has = " (" + strings.Join(by, ", ") + ")"
	}
	return Blocker{
		Policy: Approvals{}.Name(), Approvers: people,
		Reason:     fmt.Sprintf("%d of %d approvals%s", len(by), people, has),
		Suggestion: "save the plan with --out FILE, run `ovi approve FILE`, then `ovi apply FILE`",
	}, true
}
