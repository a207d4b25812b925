package cel_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
)

func TestPolicyBlocksAndWarns(t *testing.T) {
	past, future := noon.Add(-time.Hour), noon.Add(time.Hour)
	at := func(when time.Time) string { return `timestamp("` + when.Format(time.RFC3339) + `")` }
	yes := func(string) []decider.Approval { return []decider.Approval{{Who: "ann"}} }
	for name, c := range map[string]struct {
		rule    cel.Rule
		facts   decider.Facts
		stack   string
		blocker string // part of the reason; "" is none
		warns   int
	}{
		"denied":                       {rule: cel.Rule{Effect: deny, Message: "never"}, blocker: "never"},
		"another stack's rule":         {rule: cel.Rule{Effect: deny}, stack: "other"},
		"this stack's rule":            {rule: cel.Rule{Effect: deny, Message: "never"}, stack: "web", blocker: "never"},
		"deferred":                     {rule: cel.Rule{Effect: "defer", Until: at(future), Message: "later"}, blocker: "later"},
		"deferred, and the time is up": {rule: cel.Rule{Effect: "defer", Until: at(past)}},
		"not approved":                 {rule: cel.Rule{Effect: "require_approval"}, blocker: "approvals 0 of 1"},
		"approved":                     {rule: cel.Rule{Effect: "require_approval"}, facts: decider.Facts{Approvals: yes}},
		"approved by one of two":       {rule: cel.Rule{Effect: "require_approval", Approvers: 2}, facts: decider.Facts{Approvals: yes}, blocker: "approvals 1 of 2 (ann)"},
		"warned of, and not blocked":   {rule: cel.Rule{Effect: "warn"}, warns: 1},
		"a broken rule on a delete":    {rule: cel.Rule{Effect: "warn", When: `decision.destroys && resource.tags["no"] == ""`}, blocker: "could not be evaluated"},
	} {
		t.Run(name, func(t *testing.T) {
			c.rule.Name = "r"
			if c.rule.When == "" {
				c.rule.When = `decision.action == "delete"`
			}
			rules, err := cel.Compile([]cel.Rule{c.rule})
			if err != nil {
				t.Fatal(err)
			}
			c.facts.Now = noon
			policy := rules.Policy(c.stack)
			blockers, err := policy.Review(plan(), c.facts)
			if err != nil {
				t.Fatal(err)
			}
			v, held := blockers[1]
			if held != (c.blocker != "") || !strings.Contains(v.Reason, c.blocker) {
				t.Errorf("blockers: %+v, want %q", blockers, c.blocker)
			}
			if got := len(policy.Warn(plan(), c.facts)[1]); got != c.warns {
				t.Errorf("%d warnings, want %d", got, c.warns)
			}
		})
	}
}
