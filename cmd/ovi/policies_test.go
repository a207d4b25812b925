package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// proposal is a plan that proposes one thing.
type proposal struct {
	action  decider.Action
	kind    string
	there   resource.Attrs
	desired resource.Attrs
	tags    map[string]string
	changes []resource.Change
	more    int // other creates in the plan
	owned   int
	at      string // RFC 3339; a Wednesday's noon without it
	history []decider.Past
}

func (p proposal) plan() decider.Plan {
	ref := resource.Ref{Stack: "web", Provider: "aws", Location: "1/us-east-1", Kind: p.kind, Name: "x"}
	d := decider.Decision{Ref: ref, Action: p.action, Proposed: p.action, Changes: p.changes}
	if p.action != decider.Create {
		d.Observed = &resource.Observed{Ref: ref, ID: "id", Ownership: resource.Proven, Attrs: p.there, Tags: resource.TagsOf(p.tags)}
	}
	if p.action != decider.Delete {
		d.Desired = &resource.Desired{Ref: ref, Attrs: p.desired, Tags: resource.TagsOf(p.tags)}
	}
	out := decider.Plan{Decisions: []decider.Decision{d}, Owned: map[string]int{"web": cmp.Or(p.owned, 100)}}
	for range p.more {
		out.Decisions = append(out.Decisions, decider.Decision{Proposed: decider.Create, Action: decider.Create, Ref: resource.Ref{Stack: "other"}})
	}
	return out
}

func (p proposal) facts(t *testing.T) decider.Facts {
	now, err := time.Parse(time.RFC3339, cmp.Or(p.at, "2026-11-18T12:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	return decider.Facts{Now: now, History: func(resource.Ref) []decider.Past { return p.history }}
}

func attr(kv ...any) resource.Attrs {
	var out []resource.Attr
	for i := 0; i < len(kv); i += 2 {
		out = append(out, resource.Attr{Name: kv[i].(string), Value: kv[i+1].(resource.Value)})
	}
	return resource.NewAttrs(out...)
}

func ruleList(kv ...any) resource.Value { return resource.List{attr(kv...)} }

// exampleCases say what each rule of the examples does to what: every one fires somewhere and
// is silent somewhere.
func exampleCases() map[string][]struct {
	name string
	proposal
	want []string
} {
	failed := decider.Past{Event: "finished", Action: "delete", Outcome: "failed", At: time.Date(2026, 11, 18, 11, 0, 0, 0, time.UTC)}
	size := func(s string) resource.Attrs { return attr("size", resource.String(s)) }
	open, team := []string{"denied by rule open-ssh"}, map[string]string{"team": "web"}
	type c = struct {
		name string
		proposal
		want []string
	}
	return map[string][]c{
		"protect-production.yaml": {
			{"production goes", proposal{action: decider.Delete, kind: "ec2", tags: map[string]string{"environment": "prod"}}, []string{"denied by rule keep-production"}},
			{"a test server goes", proposal{action: decider.Delete, kind: "ec2", tags: map[string]string{"environment": "test"}}, nil},
			{"a thing without tags goes", proposal{action: decider.Delete, kind: "ec2"}, nil},
			{"a fourth of the stack goes", proposal{action: decider.Delete, kind: "ec2", owned: 4}, []string{"denied by max_destroy"}},
		},
		"no-deletes-on-fridays.yaml": {
			{"a Friday", proposal{action: decider.Delete, kind: "ec2", at: "2026-11-20T12:00:00Z"}, []string{"deferred by rule not-on-fridays"}},
			{"Thursday in London, Friday in Berlin", proposal{action: decider.Delete, kind: "ec2", at: "2026-11-19T23:30:00Z"}, []string{"deferred by rule not-on-fridays"}},
			{"a Wednesday", proposal{action: decider.Delete, kind: "ec2"}, nil},
			{"it failed twice", proposal{action: decider.Delete, kind: "ec2", history: []decider.Past{failed, failed}}, []string{"needs approval by rule failed-twice"}},
			{"it failed once", proposal{action: decider.Delete, kind: "ec2", history: []decider.Past{failed}}, nil},
		},
		"two-people-for-databases.yaml": {
			{"a database goes", proposal{action: decider.Delete, kind: "rds"}, []string{"needs approval by approvals of 2"}},
			{"a database restarts", proposal{action: decider.Restart, kind: "rds"}, []string{"needs approval by approvals"}},
			{"a server goes", proposal{action: decider.Delete, kind: "ec2"}, nil},
		},
		"freeze.yaml": {
			{"a restart by day", proposal{action: decider.Restart, kind: "ec2"}, []string{"deferred by windows"}},
			{"a restart by night", proposal{action: decider.Restart, kind: "ec2", at: "2026-11-18T22:30:00Z"}, nil},
			{"a new thing by day", proposal{action: decider.Create, kind: "ec2"}, nil},
			{"a change in the holidays", proposal{action: decider.Update, kind: "ec2", at: "2026-12-24T22:30:00Z"}, []string{"deferred by rule holidays"}},
			{"a new thing in the holidays", proposal{action: decider.Create, kind: "ec2", at: "2026-12-24T22:30:00Z"}, nil},
		},
		"cost.yaml": {
			{"a large one", proposal{action: decider.Create, kind: "ec2", desired: size("m5.12xlarge")}, []string{"needs approval by rule large-sizes"}},
			{"growing to a large one", proposal{action: decider.Restart, kind: "ec2", desired: size("m5.4xlarge"), changes: []resource.Change{{Path: "size"}}}, []string{"needs approval by rule large-sizes"}},
			{"a new tag on a large one", proposal{action: decider.Update, kind: "ec2", desired: size("m5.4xlarge"), changes: []resource.Change{{Path: "tags.a"}}}, nil},
			{"a small one", proposal{action: decider.Create, kind: "ec2", desired: size("t3.large")}, nil},
			{"a thing without a size", proposal{action: decider.Create, kind: "vpc"}, nil},
			{"thirty at once", proposal{action: decider.Create, kind: "vpc", more: 30}, []string{"needs approval by rule many-at-once of 2"}},
		},
		"exposure.yaml": {
			{"a public database", proposal{action: decider.Update, kind: "rds", desired: attr("public", resource.Bool(true))}, []string{"warned by rule public-database"}},
			{"a private database", proposal{action: decider.Update, kind: "rds", desired: attr("public", resource.Bool(false))}, nil},
			{"an open port 22", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("port", resource.Int(22), "cidr", resource.String("0.0.0.0/0")))}, []string{"denied by rule open-ssh"}},
			{"an open range", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("from_port", resource.Int(20), "to_port", resource.Int(30), "cidr", resource.String("::/0")))}, []string{"denied by rule open-ssh"}},
			{"two halves of the internet", proposal{action: decider.Create, kind: "security_group", tags: team, desired: attr("ingress", resource.List{
				attr("protocol", resource.String("tcp"), "port", resource.Int(22), "cidr", resource.String("0.0.0.0/1")),
				attr("protocol", resource.String("tcp"), "port", resource.Int(22), "cidr", resource.String("128.0.0.0/1")),
			})}, open},
			{"all protocols", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("protocol", resource.String("all"), "cidr", resource.String("0.0.0.0/0")))}, open},
			{"all protocols of IPv6", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("protocol", resource.String("all"), "cidr", resource.String("2000::/3")))}, open},
			{"all ports", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("protocol", resource.String("tcp"), "from_port", resource.Int(0), "to_port", resource.Int(65535), "cidr", resource.String("0.0.0.0/0")))}, open},
			{"a range that ends at 22", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("from_port", resource.Int(1), "to_port", resource.Int(22), "cidr", resource.String("16.0.0.0/4")))}, open},
			{"the second rule", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", resource.List{
				attr("port", resource.Int(443), "cidr", resource.String("0.0.0.0/0")), attr("port", resource.Int(22), "cidr", resource.String("8.0.0.0/9")),
			})}, open},
			{"a block that contains a private one", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("port", resource.Int(22), "cidr", resource.String("8.0.0.0/6")))}, open},
			{"a block that nothing can read", proposal{action: decider.Create, kind: "security_group", tags: team, desired: attr("ingress", ruleList("port", resource.Int(22), "cidr", resource.String("everywhere")))}, []string{"denied unevaluated by rule open-ssh"}},
			{"the private networks", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", resource.List{
				attr("port", resource.Int(22), "cidr", resource.String("10.0.0.0/8")), attr("port", resource.Int(22), "cidr", resource.String("172.16.0.0/12")), attr("port", resource.Int(22), "cidr", resource.String("fd00::/8")),
			})}, nil},
			{"a rule of its own", proposal{action: decider.Create, kind: "security_group_rule", tags: team, desired: attr("security_group", resource.String("sg-1"), "protocol", resource.String("all"), "cidr", resource.String("0.0.0.0/0"))}, open},
			{"a rule of its own for IPv6", proposal{action: decider.Update, kind: "security_group_rule", desired: attr("direction", resource.String("ingress"), "port", resource.Int(22), "cidr", resource.String("::/0"))}, open},
			{"a rule of its own that lets out", proposal{action: decider.Update, kind: "security_group_rule", desired: attr("direction", resource.String("egress"), "protocol", resource.String("all"), "cidr", resource.String("0.0.0.0/0"))}, nil},
			{"a rule of its own for 443", proposal{action: decider.Update, kind: "security_group_rule", desired: attr("port", resource.Int(443), "cidr", resource.String("0.0.0.0/0"))}, nil},
			{"an office", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("port", resource.Int(22), "cidr", resource.String("198.51.100.0/24")))}, nil},
			{"a group", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("port", resource.Int(22), "security_group", resource.String("sg-1")))}, nil},
			{"all of udp", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("protocol", resource.String("udp"), "from_port", resource.Int(0), "to_port", resource.Int(65535), "cidr", resource.String("0.0.0.0/0")))}, nil},
			{"port 443", proposal{action: decider.Update, kind: "security_group", desired: attr("ingress", ruleList("port", resource.Int(443), "cidr", resource.String("0.0.0.0/0")))}, nil},
			{"no team", proposal{action: decider.Create, kind: "vpc"}, []string{"warned by rule no-team"}},
			{"a team", proposal{action: decider.Create, kind: "vpc", tags: map[string]string{"team": "web"}}, nil},
		},
	}
}

// TestEveryExamplePolicyCompilesAndBlocks: each example compiles, and blocks what it is meant to.
func TestEveryExamplePolicyCompilesAndBlocks(t *testing.T) {
	files, err := filepath.Glob("../../examples/policies/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("examples: %v %v", files, err)
	}
	cases := exampleCases()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			read, err := config.Rules(t.Context(), []string{file}, config.Options{Options: source.Options{Schemas: command.Schemas(&command.Process{Table: table})}})
			if err != nil {
				t.Fatal(err)
			}
			policies, err := engine.Guards(nil, read)
			if err != nil {
				t.Fatal(err)
			}
			spoken := map[string]bool{}
			for _, c := range cases[filepath.Base(file)] {
				got := said(t, policies, c.proposal)
				if d := gocmp.Diff(c.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.name, d)
				}
				for _, s := range got {
					_, by, _ := strings.Cut(s, " by ")
					spoken[strings.TrimSuffix(by, " of 2")] = true
				}
			}
			for _, rule := range read.Expressions {
				if !spoken["rule "+rule.Name] {
					t.Errorf("rule %s never fires", rule.Name)
				}
			}
			if len(spoken) == 0 {
				t.Error("it never says anything")
			}
		})
	}
}

// said is what policies say of the first decision, in words.
func said(t *testing.T, policies []decider.Policy, p proposal) []string {
	t.Helper()
	var out []string
	for _, policy := range policies {
		blockers, err := policy.Review(p.plan(), p.facts(t))
		if err != nil {
			t.Fatal(err)
		}
		if v, held := blockers[0]; held {
			word := "denied"
			switch {
			case strings.Contains(v.Reason, "could not be evaluated"):
				word = "denied unevaluated"
			case v.Approvers > 0:
				word = "needs approval"
			case v.Until != nil:
				word = "deferred"
			}
			s := word + " by " + cmp.Or(v.Policy, policy.Name())
			if v.Approvers > 1 {
				s += " of 2"
			}
			out = append(out, s)
		}
		if w, warns := policy.(decider.Warner); warns {
			for _, x := range w.Warn(p.plan(), p.facts(t))[0] {
				if strings.Contains(x.Text, "could not be evaluated") {
					t.Errorf("it failed: %s", x.Text)
				}
				out = append(out, "warned by "+x.Policy)
			}
		}
	}
	slices.Sort(out)
	return out
}
