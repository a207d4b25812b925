package render_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render"
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
	return resource.Ref{Provider: "aws", Location: account + "/us-east-1", Kind: kind, Name: name}
}

func change(path string, from, to resource.Value, e resource.Effect) resource.Change {
	return resource.Change{Path: path, From: from, To: to, Effect: e}
}

// everything is a plan with each mark, each difference and the awkward values.
func everything() decider.Plan {
	until := time.Date(2026, 1, 2, 22, 0, 0, 0, time.UTC)
	secret := resource.NewSecret("hunter2-not-real", "hmac-sha256:AAAA")
	unreachable := resource.Scope{Provider: "aws", Location: account + "/eu-west-1"}
	there := resource.Ref{Provider: "aws", Location: unreachable.Location, Kind: "ec2", Name: "far-0"}
	return decider.Plan{
		Unchanged:   12,
		Unreachable: map[resource.Scope]string{unreachable: "ec2.DescribeInstances: AccessDenied: you are not authorized to perform this operation (the credentials may not do this: compare their policy with ovi kinds --iam)"},
		Decisions: []decider.Decision{
			{Ref: ref("subnet", "app"), Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Reason: decider.ReasonMissing, Message: "wanted and not there", Changes: []resource.Change{
				change("cidr", nil, resource.String("10.0.1.0/24"), resource.Replace),
				{Path: "vpc", To: resource.Reference{Ref: ref("vpc", "main")}, KnownAfterApply: true},
			}},
			{Ref: ref("ec2", "web-0"), Difference: comparator.Drifted, Action: decider.Restart, Proposed: decider.Restart, Reason: decider.ReasonRestart, Message: "size differs, changing it interrupts the thing", Changes: []resource.Change{
				change("size", resource.String("t3.micro"), resource.String("t3.small"), resource.Restart),
				change("tags.team", resource.String("platform team"), nil, resource.InPlace),
			}},
			{Ref: ref("ec2", "web-1"), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Reason: decider.ReasonChanged, Changes: []resource.Change{
				change("security_groups", resource.List{resource.String("sg-0aaaaaaaaaaaaaaaa"), resource.String("sg-0bbbbbbbbbbbbbbbb")}, resource.List{resource.Reference{Ref: ref("security_group", "web")}, resource.String("sg-0cccccccccccccccc")}, resource.InPlace),
			}},
			{Ref: ref("ec2", "web-2"), Difference: comparator.Drifted, Action: decider.Notify, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Message: "image differs and cannot be changed", Blockers: []decider.Blocker{{Policy: "window", Reason: "outside the maintenance window of stack web", Until: &until}}, Changes: []resource.Change{
				change("image", resource.String("ami-0aaaaaaaaaaaaaaaa"), resource.String("ami-0bbbbbbbbbbbbbbbb"), resource.Replace),
			}},
			{Ref: ref("ec2", "a-name-that-is-quite-long-for-a-thing-but-nothing-forbids-it-at-all"), Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Message: "belongs to stack web, and no file wants it any more"},
			{Ref: ref("ec2", "taken"), Difference: comparator.Conflict, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonConflict, Message: "exists, but without ovi's tags: take it in with `ovi adopt ec2/taken`, or choose another name"},
			{Ref: ref("ec2", "unmanaged-0"), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnmanaged},
			{Ref: ref("vpc", "vpc-0aaaaaaaaaaaaaaaa"), Difference: comparator.Unmanaged, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnmanaged, Observed: &resource.Observed{Detail: resource.ProviderDefault}},
			{Ref: there, Difference: comparator.Unreachable, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnreachable},
			{Ref: ref("rds", "db"), Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Message: "engine differs and cannot be changed", Changes: []resource.Change{
				change("engine", resource.String("mysql"), resource.String("postgres"), resource.Replace),
				change("password", resource.Digest("hmac-sha256:BBBB"), secret, resource.InPlace),
				{Path: "storage", From: resource.Int(20), To: resource.Int(100), Note: "also flushes the pending change of size"},
			}},
			{Ref: ref("s3", "logs"), Difference: comparator.Unwanted, Action: decider.Notify, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Message: "no file wants it any more", Blockers: []decider.Blocker{{Policy: "blessed", Reason: "blessed by ada: take that away first with `ovi unbless s3/logs`"}}},
		},
	}
}

func names() render.Names {
	return render.NewNames(ref("ec2", "x").Scope(), resource.Scope{Provider: "aws", Location: account + "/eu-west-1"})
}

func TestPlanForPeople(t *testing.T) {
	for name, s := range map[string]render.Style{
		"plan-pipe.txt":     {},
		"plan-80.txt":       {Width: 80, Live: true},
		"plan-200.txt":      {Width: 200, Live: true},
		"plan-80-color.txt": {Width: 80, Live: true, Color: true},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			v := render.PlanView{Plan: everything(), Names: names(), Verb: "Plan", Head: []string{"stack web · record in .ovi"}}
			if err := v.Write(&b, s); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		})
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
			all := append([]render.Record{render.Version{Type: "version", Ovi: "test", Format: 1}}, render.Planned(everything(), names())...)
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

func TestNothingToDo(t *testing.T) {
	var b bytes.Buffer
	if err := (render.PlanView{Plan: decider.Plan{Unchanged: 9}, Names: names(), Verb: "Plan"}).Write(&b, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "\nPlan: nothing to do; 9 unchanged.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
