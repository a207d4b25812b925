package cel_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

const deny = string(cel.Deny)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // a Friday

func plan() decider.Plan {
	ref := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: kind, Name: name}
	}
	prod := &resource.Observed{
		Ref: ref("rds", "db"), ID: "db", Ownership: resource.Proven, Health: resource.Healthy, Since: noon.Add(-time.Hour),
		Attrs: resource.NewAttrs(resource.Attr{Name: "size", Value: resource.String("db.t3.micro")}, resource.Attr{Name: "storage", Value: resource.Int(20)}),
		Tags:  resource.TagsOf(map[string]string{"environment": "prod"}),
	}
	desired := &resource.Desired{
		Ref:   ref("ec2", "web-0"),
		Attrs: resource.NewAttrs(resource.Attr{Name: "size", Value: resource.String("m5.large")}, resource.Attr{Name: "token", Value: resource.NewSecret("hunter2", "d1")}),
	}
	return decider.Plan{
		Decisions: []decider.Decision{
			{
				Ref: ref("ec2", "web-0"), Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Reason: decider.ReasonMissing, Desired: desired,
				Changes: []resource.Change{{Path: "size", To: resource.String("m5.large")}},
			},
			{Ref: ref("rds", "db"), Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Observed: prod},
			{Ref: ref("ec2", "i-1").Bare(), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify},
		},
		Unchanged: 4, Owned: map[string]int{"web": 5},
	}
}

func judge(t *testing.T, f decider.Facts, rules ...cel.Rule) []cel.Finding {
	t.Helper()
	r, err := cel.Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	return r.Judge(plan(), f)
}

func TestJudge(t *testing.T) {
	rule := func(when string) cel.Rule {
		return cel.Rule{Name: "r", When: when, Effect: deny, Message: "no"}
	}
	for name, c := range map[string]struct {
		when string
		hits []int
	}{
		"a rule that always denies, denies all that acts": {`true`, []int{0, 1}},
		"deletes in production":                           {`decision.action == "delete" && resource.tags["environment"] == "prod"`, []int{1}},
		"deletes and replaces":                            {`decision.destroys`, []int{1}},
		"a configured attribute":                          {`desired.exists && desired.attrs.size.startsWith("m5.")`, []int{0}},
		"an observed number":                              {`resource.exists && resource.attrs.storage >= 20`, []int{1}},
		"a change by path":                                {`changes.exists(c, c.path == "size" && c.to == "m5.large")`, []int{0}},
		"the whole plan":                                  {`plan.delete * 100 / plan.owned >= 20`, []int{0, 1}},
		"the time of day in a zone":                       {`now.getDayOfWeek("Europe/Berlin") == 5 && now.getHours("Europe/Berlin") == 13`, []int{0, 1}},
		"younger than a day":                              {`resource.exists && now - resource.since < duration("24h")`, []int{1}},
		"a missing tag is asked for with in":              {`!("owner" in resource.tags) && resource.exists`, []int{1}},
		"what was done to it before":                      {`history.exists(h, h.event == "finished" && h.outcome == "failed")`, []int{1}},
		"a secret cannot be compared with what it is":     {`desired.exists && desired.attrs.token == "hunter2"`, nil},
		"a rule that holds for nothing":                   {`decision.action == "replace"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			past := func(r resource.Ref) []decider.Past {
				if r.Name != "db" {
					return nil
				}
				return []decider.Past{{At: noon, Event: "finished", Outcome: "failed"}}
			}
			var got []int
			for _, f := range judge(t, decider.Facts{Now: noon, History: past}, rule(c.when)) {
				if f.Failed {
					t.Errorf("the rule failed on decision %d: %s", f.Index, f.Message)
				}
				got = append(got, f.Index)
			}
			if d := cmp.Diff(c.hits, got); d != "" {
				t.Errorf("decisions hit (-want +got):\n%s", d)
			}
		})
	}
}

// A rule that cannot be evaluated blocks deletes and replaces; one that is to block, everything.
func TestARuleThatFailsBlocks(t *testing.T) {
	for name, when := range map[string]string{
		"a missing key":      `resource.tags["missing"] == "x"`,
		"a division by zero": `plan.replace / plan.restart == 1`,
		"an unbounded cost":  `range(10000).exists(a, range(10000).exists(b, a * b < 0))`,
	} {
		if strings.HasPrefix(when, "range") {
			when = `lists.range(10000).exists(a, lists.range(10000).exists(b, a * b < 0))`
		}
		t.Run(name, func(t *testing.T) {
			got := judge(t, decider.Facts{Now: noon}, cel.Rule{Name: "r", When: when, Effect: string(cel.Warn)})
			if len(got) != 2 {
				t.Fatalf("got %d findings, want one for each decision that acts: %+v", len(got), got)
			}
			if got[0].Effect != cel.Warn || !got[0].Failed {
				t.Errorf("a create: got %+v, want a failed warning", got[0])
			}
			if got[1].Effect != cel.Deny || !got[1].Failed {
				t.Errorf("a delete: got %+v, want a failed denial", got[1])
			}
			for _, effect := range []cel.Effect{cel.Deny, cel.RequireApproval, cel.Defer} {
				got := judge(t, decider.Facts{Now: noon}, cel.Rule{Name: "r", When: when, Effect: string(effect)})
				if len(got) != 2 || got[0].Effect != cel.Deny || got[1].Effect != cel.Deny || !got[0].Failed {
					t.Errorf("%s: got %+v, want failed denials of the create and of the delete", effect, got)
				}
			}
		})
	}
}

func TestDeferAndApprovalCarryTheirTerms(t *testing.T) {
	got := judge(t, decider.Facts{Now: noon},
		cel.Rule{Name: "later", When: `decision.destroys`, Effect: string(cel.Defer), Until: `now + duration("2h")`},
		cel.Rule{Name: "two", When: `decision.destroys`, Effect: string(cel.RequireApproval), Approvers: 2},
		cel.Rule{Name: "one", When: `decision.destroys`, Effect: string(cel.RequireApproval)})
	until := noon.Add(2 * time.Hour).Unix()
	want := []cel.Finding{
		{Index: 1, Rule: "later", Effect: cel.Defer, Message: "rule later", Until: &until},
		{Index: 1, Rule: "two", Effect: cel.RequireApproval, Message: "rule two", Approvers: 2},
		{Index: 1, Rule: "one", Effect: cel.RequireApproval, Message: "rule one", Approvers: 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
}

func TestCompileReportsAllProblems(t *testing.T) {
	at := position.Position{File: "p.yaml", Line: 7, Column: 11}
	rules := []cel.Rule{
		{Name: "typo", When: `decison.action == "delete"`, Effect: deny, WhenAt: at},
		{Name: "field", When: `decision.acton == "delete"`, Effect: deny, WhenAt: at},
		{Name: "text", When: `decision.action`, Effect: deny, WhenAt: at},
		{Name: "types", When: `plan.delete == "x"`, Effect: deny, WhenAt: at},
		{Name: "second line", When: "true &&\n  nope", Effect: deny, WhenAt: at},
		{Name: "effect", When: `true`, Effect: "denny", At: at},
		{Name: "effect", When: `true`, Effect: deny, At: at},
		{Name: "until", When: `true`, Effect: string(cel.Defer), Until: `"tomorrow"`, UntilAt: at},
		{Name: "people", When: `true`, Effect: deny, Approvers: 2, At: at},
		{Name: "empty", Effect: deny, At: at},
		{When: `true`, Effect: deny, At: at},
	}
	_, err := cel.Compile(rules)
	var ps source.Problems
	if !errors.As(err, &ps) {
		t.Fatalf("got %v, want problems", err)
	}
	for _, want := range []string{
		"rule \"typo\": undeclared reference to 'decison'",
		"rule \"field\": undefined field 'acton'\n  at p.yaml:7:19",
		"rule \"text\": the expression is of type string, not bool",
		"rule \"types\": found no matching overload for '_==_'",
		"rule \"second line\": undeclared reference to 'nope'",
		"unknown effect \"denny\"",
		"duplicate rule \"effect\"",
		"rule \"until\": the expression is of type string, not google.protobuf.Timestamp",
		"rule \"people\" has approvers",
		"rule \"empty\" has no condition",
		"a rule has no name",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("got:\n%v", err)
	}
}

func TestSameInputSameFindings(t *testing.T) {
	rules := []cel.Rule{
		{Name: "a", When: `changes.size() > 0 || decision.destroys`, Effect: deny},
		{Name: "b", When: `desired.attrs.all(k, k != "")`, Effect: string(cel.Warn)},
	}
	first := judge(t, decider.Facts{Now: noon}, rules...)
	for range 20 {
		if d := cmp.Diff(first, judge(t, decider.Facts{Now: noon}, rules...)); d != "" {
			t.Fatalf("two runs differ:\n%s", d)
		}
	}
}

// A condition that fails names its position in the file.
func TestAFailedRuleNamesItsPosition(t *testing.T) {
	at := position.Position{File: "p.yaml", Line: 7, Column: 10}
	got := judge(t, decider.Facts{Now: noon}, cel.Rule{Name: "r", When: `true && resource.tags["missing"] == "x"`, WhenAt: at, Effect: deny})
	for _, f := range got {
		if want := (position.Position{File: "p.yaml", Line: 7, Column: 31}); f.At != want || !strings.Contains(f.Message, "p.yaml:7:31") {
			t.Errorf("it failed at %+v, want %+v: %s", f.At, want, f.Message)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d findings, want 2", len(got))
	}
}

// A resource's history is read only for rules that use it, and once.
func TestHistoryIsReadOnlyWhereARuleNeedsIt(t *testing.T) {
	asked := 0
	f := decider.Facts{Now: noon, History: func(resource.Ref) []decider.Past { asked++; return nil }}
	judge(t, f, cel.Rule{Name: "r", When: `decision.destroys`, Effect: deny})
	if asked != 0 {
		t.Errorf("a rule without history asked for it %d times", asked)
	}
	judge(t, f, cel.Rule{Name: "a", When: `history.size() == 9`, Effect: deny},
		cel.Rule{Name: "b", When: `decision.destroys && history.size() == 8`, Effect: deny})
	if asked != 2 {
		t.Errorf("asked %d times for two decisions", asked)
	}
}

// TestUpdateCoversARestart: a plan shows a restart as an update, so a rule on updates holds for it. A rule that names
// restarts is about these alone.
func TestUpdateCoversARestart(t *testing.T) {
	for when, want := range map[string]bool{
		`decision.action == "update"`:                                 true,
		`decision.action == 'update'`:                                 true,
		`decision.action in ["update", "replace"]`:                    true,
		`decision.action == "restart"`:                                true,
		`decision.action == "update" && decision.action != "restart"`: false,
		`decision.action == "replace"`:                                false,
		`plan.update == 1 && plan.restart == 1`:                       true,
	} {
		rules, err := cel.Compile([]cel.Rule{{Name: "r", When: when, Effect: deny}})
		if err != nil {
			t.Fatal(err)
		}
		ref := resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "web"}
		found := rules.Judge(decider.Plan{Decisions: []decider.Decision{{
			Ref: ref, Difference: "drifted", Action: decider.Restart, Proposed: decider.Restart,
			Reason: decider.ReasonRestart, Desired: &resource.Desired{Ref: ref}, Observed: &resource.Observed{Ref: ref, ID: "i-1"},
		}}}, decider.Facts{Now: noon})
		if got := len(found) == 1 && !found[0].Failed; got != want {
			t.Errorf("%s: holds %t, want %t: %+v", when, got, want, found)
		}
	}
}
