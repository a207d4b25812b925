package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestFormerNames asserts which refs the forms of `was` and `moved` mean.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	in := mustLoad(t, `version: v1
stack: web
provider: aws
region: us-east-1
moved:
  - {from: vpc/north, to: aws/eu-west-1/vpc/south}
  - {from: "network:vpc/main", to: vpc/given}
  - {from: "vpc/mine", to: "network:aws/us-east-1/vpc/taken"}
  - {from: ec2/worker, to: ec2/job}
  - {from: ec2/single, to: ec2/one}
resources:
  - {type: vpc, cidr: 10.0.0.0/16, name: plain, was: old}
  - {type: vpc, cidr: 10.0.0.0/16, name: kind, was: vpc/older}
  - {type: vpc, cidr: 10.0.0.0/16, name: whole, region: eu-west-1, was: aws/us-east-1/vpc/oldest}
  - {type: vpc, cidr: 10.0.0.0/16, name: taken, was: "network:shared"}
  - {type: vpc, cidr: 10.0.0.0/16, name: own, was: "web:vpc/ours"}
  - {type: ec2, name: app, count: 2, was: web, size: t3.micro}
  - {type: ec2, name: job, count: 2, size: t3.micro}
  - {type: ec2, name: one, size: t3.micro}
`)
	was := map[string]string{}
	for _, d := range in.Resources {
		if !d.Was.IsZero() {
			was[d.Ref.Name] = d.Was.String()
		}
	}
	want := map[string]string{
		"plain": "web:aws/us-east-1/vpc/old", "kind": "web:aws/us-east-1/vpc/older",
		"whole": "web:aws/us-east-1/vpc/oldest", "taken": "network:aws/us-east-1/vpc/shared",
		"own": "web:aws/us-east-1/vpc/ours", "app-0": "web:aws/us-east-1/ec2/web-0", "app-1": "web:aws/us-east-1/ec2/web-1",
	}
	if diff := cmp.Diff(want, was); diff != "" {
		t.Errorf("was (-want +got):\n%s", diff)
	}
	var moved [][2]string
	for _, m := range in.Moved {
		moved = append(moved, [2]string{m.From.String(), m.To.String()})
	}
	if diff := cmp.Diff([][2]string{
		{"web:aws/us-east-1/vpc/north", "web:aws/eu-west-1/vpc/south"},
		{"network:aws/us-east-1/vpc/main", "web:aws/us-east-1/vpc/given"},
		{"web:aws/us-east-1/vpc/mine", "network:aws/us-east-1/vpc/taken"},
		{"web:aws/us-east-1/ec2/worker-0", "web:aws/us-east-1/ec2/job-0"},
		{"web:aws/us-east-1/ec2/worker-1", "web:aws/us-east-1/ec2/job-1"},
		{"web:aws/us-east-1/ec2/single", "web:aws/us-east-1/ec2/one"},
	}, moved); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	if d := in.Resources[0]; d.Digest() != (&resource.Desired{Ref: d.Ref, Attrs: d.Attrs, Tags: d.Tags, State: d.State}).Digest() {
		t.Errorf("the former name counts as configuration of %s", d.Ref)
	}
}

// TestRemovedNamesAreNotConfigured asserts that a name in `removed` which the configuration uses is an error with both
// lines, wherever it is used.
func TestRemovedNamesAreNotConfigured(t *testing.T) {
	t.Parallel()
	head := "version: v1\nstack: web\nprovider: aws\nregion: us-east-1\n"
	in := mustLoad(t, head+"removed:\n  - {ref: vpc/a, keep: true}\n  - {ref: aws/eu-west-1/vpc/b, keep: false}\nresources: []\n")
	var got []string
	for _, r := range in.Removed {
		got = append(got, r.From.String())
	}
	if diff := cmp.Diff([]string{"web:aws/us-east-1/vpc/a"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for resources, want := range map[string]string{
		"[{type: vpc, name: a, cidr: 10.0.0.0/16}]":                 "vpc/a is in removed, and is configured",
		"[{type: vpc, name: a}]":                                    "vpc/a is in removed, and is configured",
		"[{type: vpc, name: b, was: a, cidr: 10.0.0.0/16}]":         "vpc/a is in removed, and is the former name of vpc/b",
		"[]\nmoved: [{from: vpc/a, to: vpc/b}]":                     "vpc/a is in removed, and is the former name of vpc/b",
		"[{type: vpc, name: c, lookup: {id: vpc-0abc1234}}]\nx: []": "",
	} {
		found := false
		for _, p := range problems(t, head+"removed: [{ref: vpc/a, keep: true}]\nresources: "+resources+"\n") {
			if p.Summary == want {
				found = true
				if p.At.Line != 5 || len(p.Others) != 1 || p.Others[0].Line < 6 || !strings.Contains(p.Suggestion, "ovi.yaml:") {
					t.Errorf("%s: %+v", resources, p)
				}
			} else if strings.Contains(p.Summary, "in removed") {
				t.Errorf("%s: %s", resources, p.Summary)
			}
		}
		if !found && want != "" {
			t.Errorf("%s: no problem %q", resources, want)
		}
	}
}
