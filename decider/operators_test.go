package decider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// doomed is a plan that deletes one resource and creates another.
func doomed() decider.Plan {
	ref := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: "s", Provider: "p", Location: "a", Kind: kind, Name: name}
	}
	return decider.Plan{Decisions: []decider.Decision{
		{Ref: ref("database", "d"), Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Observed: &resource.Observed{ID: "d-1"}},
		{Ref: ref("server", "w"), Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Desired: &resource.Desired{Ref: ref("server", "w")}},
	}}
}

func stackRules(r rules.Rules) map[string]rules.Rules { return map[string]rules.Rules{"s": r} }

func TestWindowsDefer(t *testing.T) {
	saturday := time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	night := rules.Window{Name: "night", Days: []time.Weekday{time.Saturday}, From: 22 * time.Hour, To: 4 * time.Hour}
	other := rules.Window{Name: "other", From: 9 * time.Hour, To: 10 * time.Hour}
	for name, c := range map[string]struct {
		now     time.Time
		windows []rules.Window
		want    string // the reason why the delete is blocked; "" if it is not
	}{
		"inside":                   {saturday, []rules.Window{night}, ""},
		"outside":                  {saturday.Add(-2 * time.Hour), []rules.Window{night}, "window night"},
		"one without a name":       {saturday.Add(-2 * time.Hour), []rules.Window{{Days: night.Days, From: night.From, To: night.To}}, "the next window"},
		"one of two is open":       {saturday, []rules.Window{other, night}, ""},
		"the sooner of two":        {saturday.Add(-2 * time.Hour), []rules.Window{other, night}, "night"},
		"a window of another kind": {saturday.Add(-2 * time.Hour), []rules.Window{{Name: "x", Kinds: []string{"server"}, To: time.Hour}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			blockers, err := decider.Windows{}.Review(doomed(), decider.Facts{Now: c.now, Rules: stackRules(rules.Rules{Windows: c.windows})})
			if err != nil {
				t.Fatal(err)
			}
			b, blocked := blockers[0]
			if blocked != (c.want != "") || !strings.Contains(b.Reason, c.want) {
				t.Errorf("the delete: %+v, want %q", b, c.want)
			}
			if blocked && (b.Until == nil || !b.Until.After(c.now)) {
				t.Errorf("until %v, not after now", b.Until)
			}
			if b, blocked := blockers[1]; blocked {
				t.Errorf("the create is blocked: %+v", b)
			}
		})
	}
}

func TestApprovalsBindToThePlan(t *testing.T) {
	plan := doomed()
	by := func(operators ...string) func(string) []decider.Approval {
		return func(digest string) []decider.Approval {
			var out []decider.Approval
			if digest == plan.Digest() {
				for _, who := range operators {
					out = append(out, decider.Approval{Who: who})
				}
			}
			return out
		}
	}
	blocked := func(p decider.Plan, approvers int, approvals func(string) []decider.Approval) bool {
		f := decider.Facts{Rules: stackRules(rules.Rules{Approvals: []rules.Approval{{Approvers: approvers}}}), Approvals: approvals}
		blockers, err := decider.Approvals{}.Review(p, f)
		if err != nil {
			t.Fatal(err)
		}
		if _, create := blockers[1]; create {
			t.Error("a create needs no approval")
		}
		_, is := blockers[0]
		return is
	}
	other := doomed()
	other.Decisions[0].Observed.ID = "d-2"
	for name, c := range map[string]struct {
		got, want bool
	}{
		"not approved":                    {blocked(plan, 1, nil), true},
		"approved by one":                 {blocked(plan, 1, by("ann")), false},
		"approved by one of two":          {blocked(plan, 2, by("ann")), true},
		"approved twice by one of two":    {blocked(plan, 2, by("ann", "ann")), true},
		"approved by two of two":          {blocked(plan, 2, by("ann", "bob")), false},
		"the approval is of another plan": {blocked(other, 1, by("ann")), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: blocked %v, want %v", name, c.got, c.want)
		}
	}
}

// TestSignedApprovalsAreThoseOfOtherPeople: where a rule demands signed approvals, neither unsigned ones
// count nor that of who made the plan, and another rule about the same action holds too.
func TestSignedApprovalsAreThoseOfOtherPeople(t *testing.T) {
	plan := doomed()
	signed, plain := func(who string) decider.Approval { return decider.Approval{Who: who, Signed: true} }, func(who string) decider.Approval { return decider.Approval{Who: who} }
	two := rules.Approval{Approvers: 2, Signed: true}
	for name, c := range map[string]struct {
		rules     []rules.Approval
		approvals []decider.Approval
		want      string // the reason; "" is not blocked
	}{
		"none":                      {[]rules.Approval{two}, nil, "0 of 2 signed"},
		"two that are not signed":   {[]rules.Approval{two}, []decider.Approval{plain("ann"), plain("bob")}, "0 of 2 signed; 2 not signed"},
		"one signed":                {[]rules.Approval{two}, []decider.Approval{signed("ann"), plain("bob")}, "1 of 2 signed (ann); 1 not signed"},
		"one signed twice":          {[]rules.Approval{two}, []decider.Approval{signed("ann"), signed("ann")}, "1 of 2 signed (ann)"},
		"one of who made the plan":  {[]rules.Approval{two}, []decider.Approval{signed("ann"), signed("eve")}, "1 of 2 signed (ann); eve made the plan"},
		"one used":                  {[]rules.Approval{two}, []decider.Approval{signed("ann"), {Who: "bob", Signed: true, Used: true}}, "1 of 2 signed (ann); used by an earlier plan: bob"},
		"two signed":                {[]rules.Approval{two}, []decider.Approval{signed("ann"), signed("bob")}, ""},
		"three of any, two signed":  {[]rules.Approval{{Approvers: 3}, two}, []decider.Approval{signed("ann"), signed("bob")}, "2 of 3 (ann, bob)"},
		"both":                      {[]rules.Approval{{Approvers: 3}, two}, []decider.Approval{signed("ann"), signed("bob"), plain("cid")}, ""},
		"signed where none need be": {[]rules.Approval{{Approvers: 2}}, []decider.Approval{signed("ann"), signed("eve")}, ""},
	} {
		f := decider.Facts{
			Rules: stackRules(rules.Rules{Approvals: c.rules}), Requester: "eve",
			Approvals: func(string) []decider.Approval { return c.approvals },
		}
		blockers, err := decider.Approvals{}.Review(plan, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := blockers[0].Reason; got != c.want || blockers[0].Signed != strings.Contains(c.want, "signed") {
			t.Errorf("%s: blocked by %+v, want %q", name, blockers[0], c.want)
		}
	}
}

func TestTheDigestIsOfTheProposals(t *testing.T) {
	base := doomed().Digest()
	blocked := doomed()
	blocked.Decisions[0].Action, blocked.Decisions[0].Blockers = decider.Notify, []decider.Blocker{{Reason: "no"}}
	if blocked.Digest() != base {
		t.Error("a Blocker changes the digest, so no approval could lift it")
	}
	changed := doomed()
	changed.Decisions[1].Changes = []resource.Change{{Path: "size", To: resource.String("huge")}}
	fewer := doomed()
	fewer.Decisions = fewer.Decisions[:1]
	for name, p := range map[string]decider.Plan{"other changes": changed, "one decision less": fewer} {
		if p.Digest() == base {
			t.Errorf("%s: the digest is the same", name)
		}
	}
}
