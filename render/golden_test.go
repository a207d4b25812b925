package render_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file under testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, diff)
	}
}

const account = "123456789012"

func ref(kind, name string) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "aws", Location: account + "/us-east-1", Kind: kind, Name: name}
}

func change(path string, from, to resource.Value, e resource.Effect) resource.Change {
	return resource.Change{Path: path, From: from, To: to, Effect: e}
}

func text(s string) resource.Value { return resource.String(s) }

func have(id string) *resource.Observed { return &resource.Observed{ID: id} }

func rule(port int, cidr, description string) resource.Attrs {
	attrs := []resource.Attr{{Name: "port", Value: resource.Int(port)}, {Name: "cidr", Value: text(cidr)}}
	if description != "" {
		attrs = append(attrs, resource.Attr{Name: "description", Value: text(description)})
	}
	return resource.NewAttrs(attrs...)
}

// kinds are the schemas of the screen.
func kinds(provider, kind string) (resource.Kind, bool) {
	k := resource.Kind{Provider: provider, Name: kind}
	switch kind {
	case "ec2":
		k.Attrs = []resource.Attribute{
			{Name: "id", Computed: true},
			{Name: "root", Type: resource.TObject, Fields: []resource.Attribute{
				{Name: "size", Type: resource.TInt, CreateDefault: resource.Int(8), Unit: "GiB"},
			}},
			{Name: "size"},
			{Name: "subnet"},
		}
	case "security_group":
		k.Attrs = []resource.Attribute{{Name: "ingress", Type: resource.TSet, Elem: &resource.Attribute{
			Type: resource.TObject, Fields: []resource.Attribute{{Name: "port"}, {Name: "cidr"}, {Name: "description"}},
		}}}
	}
	return k, true
}

// everything is the plan of the style guide.
func everything() decider.Plan {
	west := resource.Ref{Stack: "web", Provider: "aws", Location: account + "/eu-west-1", Kind: "vpc", Name: "far"}
	also := west
	also.Kind = "subnet"
	old, secret := resource.Digest("hmac-sha256:P5ocAAAA"), resource.NewSecret("hunter2-not-real", "hmac-sha256:wB13AAAA")
	return decider.Plan{
		Unchanged:   4,
		Unreachable: map[resource.Scope]string{west.Scope(): "AccessDenied: ec2:DescribeVpcs"},
		Decisions: []decider.Decision{
			{Ref: also, Difference: comparator.Unreachable, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnreachable},
			{Ref: west, Difference: comparator.Unreachable, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnreachable},
			{Ref: ref("rds", "old-db"), Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Observed: have("old-db"), DataLoss: "database, 40 GiB. A final snapshot is taken.", Origin: &decider.Origin{Record: 812, At: time.Date(2026, 5, 3, 9, 0, 0, 0, time.UTC)}},
			{Ref: ref("vpc", "main"), Difference: comparator.Conflict, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonConflict, Observed: have("vpc-09a5d84bdabd83b8b"), Message: "it exists and is unmanaged", Suggestion: "rename it, or run `ovi adopt vpc/main`"},
			{Ref: ref("s3", "assets"), Difference: comparator.Unwanted, Action: decider.Notify, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Observed: have("acme-assets"), Blockers: []decider.Blocker{{Policy: "rule keep-production", Reason: "Production stays. (policies/prod.yaml:4)"}}},
			{Ref: ref("security_group", "web"), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Reason: decider.ReasonChanged, Observed: have("sg-0e157a7adcf708ffb"), Changes: []resource.Change{
				change("ingress", resource.List{rule(80, "0.0.0.0/0", "HTTP"), rule(443, "0.0.0.0/0", "HTTPS"), rule(22, "0.0.0.0/0", "")},
					resource.List{rule(22, "10.0.0.0/8", "SSH from the office network in Berlin"), rule(443, "0.0.0.0/0", "HTTPS"), rule(80, "0.0.0.0/0", "HTTP")}, resource.InPlace),
			}},
			{Ref: ref("subnet", "app"), Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Strategy: resource.DestroyFirst, Observed: have("subnet-0c554caf75dafb66e"), Changes: []resource.Change{
				change("cidr", text("10.0.1.0/24"), text("10.0.2.0/24"), resource.Replace),
			}},
			{
				Ref: ref("ec2", "web-0"), Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonFollows, Strategy: resource.DestroyFirst, Follows: ref("subnet", "app"), Observed: have("i-0ee036f2aa4411c1f"),
				Desired: &resource.Desired{Ref: ref("ec2", "web-0"), Attrs: resource.NewAttrs(resource.Attr{Name: "subnet", Value: resource.Reference{Ref: ref("subnet", "app")}})}, DependsOn: []resource.Ref{ref("subnet", "app")},
				Changes: []resource.Change{
					{Path: "subnet", From: text("subnet-0c554caf75dafb66e"), To: resource.Reference{Ref: ref("subnet", "app")}, Effect: resource.Replace, KnownAfterApply: true},
				},
			},
			{Ref: ref("ec2", "web-1"), Difference: comparator.Drifted, Action: decider.Restart, Proposed: decider.Restart, Reason: decider.ReasonRestart, Observed: have("i-06263382c5ab22ead"), Changes: []resource.Change{
				change("size", text("t3.micro"), text("t3.small"), resource.Restart),
				change("user_data", old, secret, resource.Restart),
			}},
			{Ref: ref("ec2", "web-2"), Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Reason: decider.ReasonMissing, Changes: []resource.Change{
				{Path: "subnet", To: resource.Reference{Ref: ref("subnet", "app")}, KnownAfterApply: true},
			}},
			{Ref: ref("ec2", "unmanaged-0"), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnmanaged},
			{Ref: ref("ec2", "unmanaged-1"), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnmanaged},
			{Ref: ref("ec2", "unmanaged-2"), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnmanaged},
			{Ref: ref("vpc", "vpc-0aaaaaaaaaaaaaaaa"), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnmanaged, Observed: &resource.Observed{Message: resource.ProviderDefault}},
		},
	}
}

func names() render.Names {
	return render.NewNames(ref("ec2", "x").Scope(), resource.Scope{Provider: "aws", Location: account + "/eu-west-1"})
}

// view is the plan of the style guide with what belongs to it.
func view(plan decider.Plan) planview.View {
	return planview.View{
		Plan: plan, Names: names(), Verb: "Plan", Kinds: kinds,
		Head: []string{"Stack web  AWS account 123456789012  data directory .ovi"},
	}
}

// blocks is a plan of the other ways to be blocked, and of the awkward values.
func blocks() decider.Plan {
	until := time.Date(2026, 11, 22, 22, 0, 0, 0, time.UTC)
	budget := decider.Blocker{Policy: "max_destroy", Reason: "3 of 9 resources in stack web would be destroyed; the limit is 1", Suggestion: "raise max_destroy, or use --target"}
	replaced := func(kind, name, id string, b ...decider.Blocker) decider.Decision {
		return decider.Decision{Ref: ref(kind, name), Difference: comparator.Drifted, Action: decider.Notify, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Observed: have(id), Blockers: b}
	}
	updated := func(name string, b decider.Blocker) decider.Decision {
		return decider.Decision{Ref: ref("ec2", name), Difference: comparator.Drifted, Action: decider.Notify, Proposed: decider.Update, Reason: decider.ReasonChanged, Observed: have("i-" + name), Blockers: []decider.Blocker{b}}
	}
	long := strings.Repeat("0123456789", 9)
	return decider.Plan{NotVerified: []comparator.Unverified{{Ref: ref("rds", "kept"), Paths: []string{"password"}}, {Ref: ref("ec2", "kept"), Paths: []string{"root.password", "user_data"}}}, Decisions: []decider.Decision{
		{Ref: ref("ec2", "web-4"), Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Strategy: resource.CreateFirst, Steps: replace.Steps(resource.CreateFirst), Observed: have("i-4"), Changes: []resource.Change{change("image", text("ami-1"), text("ami-2"), resource.Replace)}},
		{Ref: ref("ec2", "web-5"), Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonResumes, Message: "the replacement of i-5 by i-6 was interrupted", Strategy: resource.CreateFirst, Steps: []replace.Step{replace.Wait, replace.DeleteOld}, Observed: have("i-5"), New: have("i-6"), Desired: &resource.Desired{}},
		{Ref: ref("box", "web"), Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Strategy: resource.Swap, Steps: replace.Steps(resource.Swap), Observed: have("box-1"), Changes: []resource.Change{change("image", text("web:1"), text("web:2"), resource.Replace)}},
		{Ref: ref("box", "job"), Difference: comparator.Drifted, Action: decider.Revert, Proposed: decider.Revert, Reason: decider.ReasonReverts, Message: "box-4, which was to replace box-3, is failing: exited with 1", Strategy: resource.StartFirst, Steps: []replace.Step{replace.DeleteNew, replace.Restore, replace.Wait}, Observed: have("box-3"), New: have("box-4")},
		replaced("rds", "web-db", "web-db", budget),
		replaced("rds", "next-db", "next-db", budget, decider.Blocker{Policy: "blessed", Reason: "blessed resources are not changed", Suggestion: "run `ovi unbless rds/next-db`"}),
		{Ref: ref("rds", "old-db"), Difference: comparator.Unwanted, Action: decider.Notify, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Observed: have("old-db"), DataLoss: "database, 40 GiB. A final snapshot is taken.", Origin: &decider.Origin{Record: 812, At: until}, Blockers: []decider.Blocker{{Policy: "approvals", Approvers: 2, Reason: "0 of 2"}}},
		updated("web-0", decider.Blocker{Policy: "approvals", Approvers: 2, Reason: "1 of 2 (ada)", Suggestion: "run `ovi approve change.plan`"}),
		updated("web-1", decider.Blocker{Policy: "windows", Reason: "window nights", Until: &until}),
		{Ref: ref("ec2", "a-name-that-is-quite-long-for-a-resource-but-that-nothing-prevents-at-all"), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Observed: have("i-0ee036f2aa4411c1f"), Warnings: []decider.Warning{{Policy: "rule big", Text: "It is large."}}, Changes: []resource.Change{
			change("description", text("a long text with  two spaces, which is wrapped at its single spaces and whole"), text(long+" and more"), resource.InPlace),
			change("policy", text("{\n  Allow: a\n  Deny: b\n}"), text("{\n  Allow: a\n  Deny: c\n}"), resource.Restart),
			change("tags.team", text("platform team"), nil, resource.InPlace),
			change("tags.an-unusually-long-key-of-a-tag", nil, text("x"), resource.InPlace),
			{Path: "storage", From: resource.Int(20), To: resource.Int(100), Note: "also applies the pending change of size"},
		}},
		{Ref: ref("s3", "denied"), Difference: comparator.Unreachable, Action: decider.Notify, Proposed: decider.Notify, Message: "bucket denied could not be read: AccessDenied: s3:GetBucketTagging"},
		{Ref: ref("security_group", "new"), Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Reason: decider.ReasonMissing, Changes: []resource.Change{
			change("ingress", nil, resource.List{rule(22, "10.0.0.0/8", "SSH"), rule(443, "0.0.0.0/0", "HTTPS")}, resource.InPlace),
			{Path: "vpc", To: resource.Reference{Ref: ref("vpc", "main")}},
		}},
	}}
}

// styles are the screens that each golden file is made for.
func styles() map[string]term.Style {
	return map[string]term.Style{
		"pipe": {}, "80": {Width: 80, Live: true}, "200": {Width: 200, Live: true},
		"80-color": {Width: 80, Live: true, Color: true}, "200-color": {Width: 200, Live: true, Color: true},
	}
}

func TestPlanForPeople(t *testing.T) {
	for name, plan := range map[string]decider.Plan{"plan": everything(), "blocks": blocks()} {
		for width, s := range styles() {
			t.Run(name+"-"+width, func(t *testing.T) {
				var b bytes.Buffer
				if err := view(plan).Write(&b, s); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"-"+width+".txt", b.Bytes())
			})
		}
	}
}

func TestPlanForMachines(t *testing.T) {
	for name, enc := range map[string]func(*bytes.Buffer) render.Encoder{
		"plan.jsonl": func(b *bytes.Buffer) render.Encoder { return render.NewJSON(b) },
		"plan.yaml":  func(b *bytes.Buffer) render.Encoder { return render.NewYAML(b) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			e := enc(&b)
			all := append([]render.Record{render.Version{Type: "version", Ovi: "test", Format: render.Format}}, render.Planned(everything(), names())...)
			all = append(all, render.ChangeSummary{Type: "change_summary", Operation: "plan", Counts: render.Count(everything())})
			for _, r := range all {
				if err := e.Encode(r); err != nil {
					t.Fatal(err)
				}
			}
			golden(t, name, b.Bytes())
		})
	}
}

// TestEachResourceCountsOnce: the counts of a plan add up to its resources, those that are
// unmanaged aside.
func TestEachResourceCountsOnce(t *testing.T) {
	for _, plan := range []decider.Plan{everything(), blocks()} {
		resources := plan.Unchanged + len(plan.NotVerified)
		for _, d := range plan.Decisions {
			if d.Difference != comparator.Unmanaged {
				resources++
			}
		}
		c := render.Count(plan)
		if sum := c.Create + c.Update + c.Restart + c.Replace + c.Revert + c.Delete + c.InFlight + c.Waiting + c.Blocked + c.Conflict + c.Unreachable + c.NotVerified + c.Excluded + c.Unchanged; sum != resources {
			t.Errorf("the counts add up to %d of %d resources: %+v", sum, resources, c)
		}
	}
}

func TestNoChanges(t *testing.T) {
	for want, plan := range map[string]decider.Plan{
		"No changes. 9 unchanged.\n": {Unchanged: 9},
		"No changes.\n":              {},
	} {
		var b bytes.Buffer
		if err := (planview.View{Plan: plan, Names: names(), Verb: "Plan"}).Write(&b, term.Style{}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
