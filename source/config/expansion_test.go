package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/config/expansion"
)

// TestExpansionIsTheSameConfiguration reads a configuration that was printed without expressions.
func TestExpansionIsTheSameConfiguration(t *testing.T) {
	text := head + `vars: {zones: [b, a], yes: "true", number: "010", empty: ""}
locals: {reference: "${rds/db.size?}"}
defaults: {tags: {team: platform}}
resources:
  - {type: security_group, name: web, for_each: "${vars.zones}", vpc: main}
  - {type: vpc, name: main, cidr: 10.0.0.0/16, blessed: true}
  - {type: subnet, name: app, for_each: "${vars.zones}", vpc: main, cidr: "10.0.0.0/24", ignore: [tags.x]}
  - type: ec2
    name: web
    count: 2
    size: t3.micro
    subnet: app-a
    depends_on: [app, subnet/app]
    security_groups: ["web?"]
    key_name: ${vars.yes}
    image: "${rds/db.size?}"
    tags: {"number": "${vars.number}", empty: "${vars.empty}", price: "$${x}", index: "${index}"}
  - {type: ec2, name: "x.y", size: t3.micro}
  - {type: ec2, name: job, count: 2, size: t3.micro, security_groups: ["none?"], key_name: "a: #b\n'c'"}
outputs:
  vpc: ${vpc/main}
  text: "$${x} ${ec2/x.y.address}:${vars.number}"
  all: [1, 1.5, true, "1", "", {a: "${ec2/web-0.address}", "b c": []}, {}]
  other: "${stack/net-${vars.number}.url}"
  none: ${rds/db.size?}
`
	all := expansion.Collector{}
	in, err := loadWith(text, func(o *config.Options) {
		all.Schemas, o.Expanded = o.Schemas, all.Add
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, origins := range []bool{false, true} {
		shown, err := expansion.YAML(expansion.Head{Stack: in.Stack, Outputs: expansion.OutputsOf(in.Outputs)}, all.Blocks(), origins)
		if err != nil {
			t.Fatal(err)
		}
		again, err := loadWith(string(shown), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, shown)
		}
		if diff := cmp.Diff(described(t, in), described(t, again)); diff != "" {
			t.Errorf("%s\n%s", diff, shown)
		}
		if diff := cmp.Diff(in.Outputs, again.Outputs); diff != "" || len(in.Outputs) != 4 {
			t.Errorf("%s\n%s", diff, shown)
		}
	}
}

// TestExpansionConcealsSecrets: no secret and no text that may be one is in an expansion.
func TestExpansionConcealsSecrets(t *testing.T) {
	all := expansion.Collector{}
	_, err := loadWith(head+`vars: {pw: {type: secret}}
resources:
  - {type: rds, name: a, size: db.t3.micro, password: "${vars.pw}"}
  - {type: rds, name: b, size: db.t3.micro, password: "x${env:DB_PASSWORD}y"}
`, func(o *config.Options) {
		all.Schemas, o.Expanded, o.Set = o.Schemas, all.Add, []string{"pw=" + fakeSecret}
	})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := expansion.YAML(expansion.Head{}, all.Blocks(), true)
	if err != nil || strings.Contains(string(shown), fakeSecret) ||
		!strings.Contains(string(shown), "${vars.pw}") {
		t.Errorf("%v\n%s", err, shown)
	}
}
