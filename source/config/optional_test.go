package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/config"
)

const head = "version: v1\nprovider: aws\nregion: us-east-1\n"

// attrsOf returns the attributes of a resource as text, and the names that it depends on.
func attrsOf(t *testing.T, in resource.Intent, name string) string {
	t.Helper()
	for line := range strings.Lines(described(t, in)) {
		if strings.HasPrefix(line, in.Stack+":aws/us-east-1/"+name+" ") {
			return line
		}
	}
	t.Fatalf("no %s in %s", name, described(t, in))
	return ""
}

// TestOptionalReferences: a reference with ? has no value where its resource is not configured.
func TestOptionalReferences(t *testing.T) {
	text := head + `vars: {db: true, subnets: [a]}
resources:
  - {type: vpc, name: main, cidr: 10.0.0.0/16}
  - {type: subnet, name: app, for_each: "${vars.subnets}", vpc: main, cidr: "10.0.1.0/24"}
  - {type: subnet, name: subnet-extra, when: vars.db, vpc: main, cidr: 10.0.9.0/24}
  - {type: rds, name: orders, when: vars.db, size: db.t3.micro, password: "${env:DB_PASSWORD}"}
  - {type: security_group, name: web, when: vars.db, vpc: main}
  - type: ec2
    name: web
    size: t3.micro
    subnet: subnet-extra?
    security_groups: ["web?"]
    image: ${rds/orders.size?}
    user_data: "DB=${rds/orders.size?};"
    depends_on: ["app?", "subnet-extra?", "rds/orders?", "none?"]
`
	with, err := loadWith(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := attrsOf(t, with, "ec2/web")
	for _, want := range []string{"subnet/subnet-extra", "security_group/web", "rds/orders", "subnet/app-a"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s without %s", got, want)
		}
	}
	without, err := loadWith(text, func(o *config.Options) { o.Set = []string{"db=false", "subnets=[]"} })
	if err != nil {
		t.Fatal(err)
	}
	plain, err := loadWith(head+`resources:
  - {type: vpc, name: main, cidr: 10.0.0.0/16}
  - {type: ec2, name: web, size: t3.micro, security_groups: [], user_data: "DB=;"}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(attrsOf(t, plain, "ec2/web"), attrsOf(t, without, "ec2/web")); diff != "" {
		t.Error(diff)
	}
}

// TestIndexOfACount: each resource of a count has its own number, and the count stays one set.
func TestIndexOfACount(t *testing.T) {
	text := head + `vars: {x: y}
resources:
  - type: ec2
    name: web
    count: 3
    size: "${index == 0 ? 't3.small' : 't3.micro'}"
    tags: {number: "${index}"}
    blessed: ${index == 1}
  - {type: s3, name: example-logs, depends_on: [web, "jobs-${vars.x}"]}
  - {type: ec2, name: job, group: "jobs-${vars.x}", for_each: [a, b], count: 2, size: t3.micro, key_name: "${each.key + string(index + 1)}"}
  - {type: ec2, name: "none", count: 0, size: t3.micro, key_name: "${string(index)}"}
`
	in := mustLoad(t, text)
	got := described(t, in)
	for _, want := range []string{
		`ec2/web-0 {"size":"t3.small"} tags=[{number 0}] blessed=false`,
		`ec2/web-1 {"size":"t3.micro"} tags=[{number 1}] blessed=true`,
		`ec2/web-2 {"size":"t3.micro"} tags=[{number 2}] blessed=false`,
		`ec2/job-b-1 {"key_name":"b2"`,
		"after=[:aws/us-east-1/ec2/job-a-0 :aws/us-east-1/ec2/job-a-1 :aws/us-east-1/ec2/job-b-0 " +
			":aws/us-east-1/ec2/job-b-1 :aws/us-east-1/ec2/web-0 :aws/us-east-1/ec2/web-1 :aws/us-east-1/ec2/web-2]",
	} {
		if !strings.Contains(strings.ReplaceAll(got, in.Stack+":", ":"), want) {
			t.Errorf("%s\nwithout %s", got, want)
		}
	}
	if len(in.Resources) != 8 {
		t.Errorf("%d resources", len(in.Resources))
	}
	for _, r := range in.Resources {
		if strings.HasPrefix(r.Ref.Name, "web-") && (r.Set == nil || r.Set.Name != "web") {
			t.Errorf("%s has the set %+v", r.Ref, r.Set)
		}
	}
}

// TestABlockIsOneSet: the resources of a block are one set, over all its keys and counts. A block of one resource is none.
func TestABlockIsOneSet(t *testing.T) {
	in := mustLoad(t, head+`resources:
  - {type: ec2, name: web, for_each: [a, b], count: 2, size: t3.micro, update: {max_unavailable: 2}}
  - {type: ec2, name: "${each.key}-job", for_each: [a, b], size: t3.micro, update: {max_unavailable: 50%}}
  - {type: ec2, name: "${each.key}-api", group: api, for_each: [a], size: t3.micro}
  - {type: ec2, name: pair, count: 2, size: t3.micro}
  - {type: ec2, name: single, count: 1, size: t3.micro}
  - {type: ec2, name: alone, size: t3.micro}
`)
	got := map[string]string{}
	for i := range in.Resources {
		r := &in.Resources[i]
		got[r.Ref.Name] = "none"
		if r.Set != nil {
			got[r.Ref.Name] = resource.SetOf(r).Short() + " " + r.Set.MaxUnavailable.String()
		}
	}
	want := map[string]string{
		"web-a-0": "ec2/web 2", "web-a-1": "ec2/web 2", "web-b-0": "ec2/web 2", "web-b-1": "ec2/web 2",
		"a-job": "ec2/${each.key}-job 50%", "b-job": "ec2/${each.key}-job 50%", "a-api": "ec2/api ",
		"pair-0": "ec2/pair ", "pair-1": "ec2/pair ", "single-0": "none", "alone": "none",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
