package decider

import "fmt"

// Approvals vetoes what a stack's rules ask people's yes for, until enough different people
// have given it to this very plan.
type Approvals struct{}

// Name implements Policy.
func (Approvals) Name() string { return "approval" }

// Review implements Policy.
func (Approvals) Review(p Plan, f Facts) (map[int]Veto, error) {
	out := map[int]Veto{}
	digest := ""
	for i := range p.Decisions {
		d := &p.Decisions[i]
		people := 0
		for _, rule := range f.Rules[d.Stack].Approvals {
			if d.Proposed.Executes() && rule.Covers(string(d.Proposed), d.Ref.Kind) {
				people = max(people, rule.People, 1)
			}
		}
		if people == 0 {
			continue
		}
		if digest == "" {
			digest = p.Digest()
		}
		if v, held := f.Unapproved(digest, people); held {
			out[i] = v
		}
	}
	return out, nil
}

// Unapproved is the veto on what needs so many people's yes and has not got it.
func (f Facts) Unapproved(digest string, people int) (Veto, bool) {
	who := map[string]bool{}
	if f.Approvals != nil {
		for _, a := range f.Approvals(digest) {
			who[a.Who] = true
		}
	}
	if len(who) >= people {
		return Veto{}, false
	}
	return Veto{Policy: "approval", Reason: fmt.Sprintf(
		"it needs the approval of %s, and has %d: save the plan with --out, then: ovi approve PLANFILE", persons(people), len(who))}, true
}

func persons(n int) string {
	if n == 1 {
		return "one person"
	}
	return fmt.Sprintf("%d different people", n)
}
