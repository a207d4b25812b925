package rules_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

// TestRulesSurviveTheirRecord: required policies are kept as JSON. Where a rule is written is no part of it.
func TestRulesSurviveTheirRecord(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	in := rules.Rules{
		SkipDestructive: true, DestroyAuto: true, MaxDestroy: rules.Budget{Set: true, Count: 5, Percent: true}, Attempts: rules.Attempts{Count: 3, Configuration: 1},
		Ignore:      []rules.Ignore{{Kind: "ec2", Paths: []string{"tags.x"}}},
		Windows:     []rules.Window{{Name: "night", Days: []time.Weekday{1, 2}, From: time.Hour, To: 2 * time.Hour, Zone: zone, Actions: []string{"delete"}, Kinds: []string{"rds"}}},
		Approvals:   []rules.Approval{{Actions: []string{"delete"}, Kinds: []string{"rds"}, Approvers: 2}},
		Expressions: []rules.Expression{{Name: "a", When: "true", Effect: "deny", Message: "no", Until: "now", Approvers: 2}},
		Drift:       []rules.Drift{{Kind: "rds", Path: "size", When: "true"}},
		Updates:     []rules.Update{{Kind: "deployment", Name: "web", Waves: []rules.Budget{{Set: true, Count: 1}}, MaxFailed: rules.Budget{Set: true, Count: 2}, Rollback: true, Attempts: rules.Attempts{Count: 4, Other: 9}}},
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out rules.Rules
	if err := json.Unmarshal(text, &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v: %+v, want %+v", err, out, in)
	}
	digest := func(r rules.Rules) string {
		d, err := r.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	was := digest(in)
	in.Expressions[0].At = position.Position{File: "ovi.yaml", Line: 7}
	if digest(in) != was || digest(rules.Rules{}) != "" {
		t.Error("the digest depends on where a rule is written, or rules that say nothing have one")
	}
	in.Expressions[0].When = "false"
	if digest(in) == was {
		t.Error("another rule has the same digest")
	}
	if err := json.Unmarshal([]byte(`{"Windows":[{"zone":"Nowhere/Else"}]}`), &out); err == nil {
		t.Error("an unknown zone was read")
	}
}
