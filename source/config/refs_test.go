package config_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// refKinds are kinds of two providers whose resources refer to each other.
func refKinds() schemas {
	str := func(name string) resource.Attribute { return resource.Attribute{Name: name, Type: resource.TString} }
	anywhere := ref("peer", "db", "db-")
	anywhere.Anywhere = true
	return schemas{
		{Provider: "aws", Name: "app", Attrs: []resource.Attribute{
			ref("db", "db", "db-"),
			{Name: "flag", Type: resource.TBool},
			str("motd"), anywhere,
			{Name: "port", Type: resource.TInt},
			{Name: "script", Type: resource.TString, Secret: true, SecretInFile: true, WriteOnly: true},
		}},
		{Provider: "aws", Name: "db", Attrs: []resource.Attribute{
			{Name: "endpoint", Type: resource.TString, Computed: true},
			{Name: "port", Type: resource.TInt},
			{Name: "labels", Type: resource.TMap},
			{Name: "password", Type: resource.TString, Secret: true, WriteOnly: true},
			{Name: "init", Type: resource.TString, WriteOnly: true},
		}},
		{Provider: "box", Name: "file", Attrs: []resource.Attribute{str("content")}},
	}
}

func loadRefs(t *testing.T, blocks string) (resource.Intent, error) {
	t.Helper()
	text := "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - {type: db, name: orders, port: 5432}\n" +
		blocks
	opts := options(fstest.MapFS{"ovi.yaml": {Data: []byte(text)}})
	opts.Options = checkedBy(refKinds())
	return loadFrom(config.New([]string{"ovi.yaml"}, opts))
}

func TestReferencesInStrings(t *testing.T) {
	in, err := loadRefs(t, `  - {type: db, name: a.b}
  - {type: db, name: far, region: eu-west-1}
  - {type: app, name: whole, motd: "${db/orders.endpoint}", port: "${db/orders.port}", db: "${db/orders}"}
  - {type: app, name: part, motd: "at ${db/orders.endpoint}:${db/orders.port} of $${HOME}"}
  - {type: app, name: dots, motd: "${db/a.b.endpoint} ${db/a.b}"}
  - {type: app, name: sealed, script: "PW=${db/orders.password}"}
  - {type: app, name: abroad, peer: "${aws/eu-west-1/db/far}", motd: "${aws/eu-west-1/db/far.endpoint}"}
  - {provider: box, type: file, name: f, content: "${aws/us-east-1/db/orders.labels.team}"}
`)
	if err != nil {
		t.Fatal(err)
	}
	db := func(location, name, path string) resource.Reference {
		return resource.Reference{Ref: resource.Ref{
			Stack: "test", Provider: "aws", Location: location, Kind: "db",
			Name: name,
		}, Path: path}
	}
	orders := func(path string) resource.Reference { return db("us-east-1", "orders", path) }
	str := func(s string) resource.Value { return resource.String(s) }
	want := map[string]map[string]resource.Value{
		"whole": {"motd": orders("endpoint"), "port": orders("port"), "db": orders("")},
		"part":  {"motd": resource.Text{str("at "), orders("endpoint"), str(":"), orders("port"), str(" of ${HOME}")}},
		"dots":  {"motd": resource.Text{db("us-east-1", "a.b", "endpoint"), str(" "), db("us-east-1", "a.b", "")}},
		"sealed": {"script": resource.Text{resource.NewSecret("PW=",
			sourcetest.Secrets{}.Digest(resource.Ref{
				Stack: "test", Provider: "aws", Location: "us-east-1", Kind: "app",
				Name: "sealed",
			}, "script", "PW=")), orders("password")}},
		"abroad": {"peer": db("eu-west-1", "far", ""), "motd": db("eu-west-1", "far", "endpoint")},
		"f":      {"content": orders("labels.team")},
	}
	for _, d := range in.Resources {
		if w, ok := want[d.Ref.Name]; ok {
			if diff := cmp.Diff(resource.AttrsOf(w), d.Attrs); diff != "" {
				t.Errorf("%s: %s", d.Ref, diff)
			}
			if diff := cmp.Diff(d.Refs(), d.DependsOn); diff != "" || len(d.DependsOn) == 0 {
				t.Errorf("%s depends on %v: %s", d.Ref, d.DependsOn, diff)
			}
			delete(want, d.Ref.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not loaded: %v", want)
	}
	if got := in.Resources[len(in.Resources)-1].Ref.String(); got != "test:box/default/file/f" {
		t.Errorf("a location that nothing sets: %s", got)
	}
}

func TestReferencesThatDoNotFit(t *testing.T) {
	for block, want := range map[string]string{
		`motd: "${db/orders.password}"`:        "${db/orders.password} is a secret, and motd is not a secret attribute",
		`motd: "x ${db/orders.password}"`:      "${db/orders.password} is a secret, and motd is not a secret attribute",
		`motd: "${db/orders.endpont}"`:         `unknown attribute "endpont" of db/orders in ${db/orders.endpont}`,
		`motd: "${db/orders.init}"`:            "${db/orders.init} cannot be read back from the provider",
		`motd: "${db/orders.labels}"`:          "motd must be a string, and ${db/orders.labels} is a map of names to values",
		`flag: "${db/orders.port}"`:            "flag must be true or false, and ${db/orders.port} is a whole number",
		`port: "1${db/orders.port}"`:           "port must be a whole number, got a string with a reference in it",
		`db: "x-${db/orders}"`:                 "db refers to a resource of kind db",
		`motd: "${db/oders.endpoint}"`:         `unknown db "oders"`,
		`motd: "${dbb/orders}"`:                `unknown kind "dbb" in "${dbb/orders}"`,
		`motd: "${azure/db/orders}"`:           `unknown provider "azure"`,
		`motd: "${orders}"`:                    `invalid reference "${orders}"`,
		`db: "${aws/eu-west-1/db/far}"`:        "db/far is in aws/eu-west-1, and db accepts ids of aws/us-east-1 only",
		`motd: "${app/self.motd}", name: self`: "depends on itself",
		`name: "${db/orders}"`:                 "name cannot refer to a resource",
		`tags: {a: "${db/orders.endpoint}"}`:   "cannot refer to a resource",
	} {
		name := ", name: x"
		if strings.Contains(block, "name:") {
			name = ""
		}
		_, err := loadRefs(t, "  - {type: db, name: far, region: eu-west-1}\n  - {type: app, "+block+name+"}\n")
		var problems source.Problems
		_ = errors.As(err, &problems)
		if len(problems) != 1 || !strings.Contains(problems[0].String(),
			want) || problems[0].At.Line != 7 || problems[0].Suggestion == "" {
			t.Errorf("%s: want %q, got\n%v", block, want, err)
		}
	}
}

// One variable that is not set is one problem, whatever its attribute requires.
func TestAnUnsetVariableIsOneProblem(t *testing.T) {
	for _, block := range []string{
		"{type: s3, name: \"${env:NOWHERE}\"}", "{type: s3, name: \"${env:NOWHERE}-assets\"}",
		"{type: ec2, name: a, size: \"${env:NOWHERE}\"}",
		"{type: ec2, name: a, size: t3.micro, security_groups: [\"${env:NOWHERE}\"]}",
	} {
		if p := problems(t, "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - "+block+"\n"); len(p) != 1 ||
			p[0].Summary != "the environment variable NOWHERE is not set" {
			t.Errorf("%s: %v", block, p)
		}
	}
}

func TestTerraformGetsHints(t *testing.T) {
	for text, want := range map[string]string{
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: aws_s3_bucket, name: abc}\n":                     "use s3",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: aws_security_group_rule, name: a}\n":             "set it in security_group: see `ovi kinds security_group`",
		"resource \"aws_instance\" \"web\" {\n  ami = \"ami-1\"\n}\n":                                                   "looks like Terraform",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: aws_instance, name: a, size: t3.micro}\n":        "use ec2",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: aws_security_group, name: a}\n":                  "use security_group",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: ec2, name: a, instance_type: t3.micro}\n":        "use size",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: ec2, name: a, size: t3.micro, ami: ami-1}\n":     "use image",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: vpc, name: a, cidr_block: 10.0.0.0/16}\n":        "use cidr",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: subnet, name: a, availability_zone: a}\n":        "use zone",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: rds, name: a, instance_class: db.t3.micro}\n":    "use size",
		"version: v1\nprovider: aws\nregion: r\nresources:\n  - {type: ec2, name: a, size: t3.micro, subnet: [a, b]}\n": "subnet must be a string, got a list",
	} {
		if p := problems(t, text); len(p) != 1 || !strings.Contains(p[0].String(), want) {
			t.Errorf("%s\nwant %q, got %v", text, want, p)
		}
	}
}

func TestLocationsAndOptions(t *testing.T) {
	const head = "version: v1\nprovider: aws\n"
	in := mustLoad(t, head+"location: us-east-1\noptions: {aws: {profile: staging}}\nresources:\n"+
		"  - {type: s3, name: abc}\n  - {type: s3, name: def, location: eu-west-1}\n"+
		"  - {type: s3, name: ghi, region: eu-west-2}\n  - {provider: box, type: file, name: f}\n")
	want := []string{"aws/eu-west-1/s3/def", "aws/eu-west-2/s3/ghi", "aws/us-east-1/s3/abc", "box/default/file/f"}
	if diff := cmp.Diff(want, refs(in)); diff != "" {
		t.Error(diff)
	}
	if got := in.Options.Providers["aws"]["profile"]; got != "staging" {
		t.Errorf("profile is %q", got)
	}
	for text, want := range map[string]string{
		"region: a\nlocation: b\nresources: []\n":                                    "duplicate",
		"host: a\nresources: []\n":                                                   `unknown key "host"`,
		"region: a\nresources:\n  - {type: s3, name: abc, region: b, location: c}\n": "duplicate location",
		"region: a\noptions: {aws: {profil: x}}\nresources: []\n":                    "use profile",
		"region: a\noptions: {aws: {token: x}}\nresources: []\n":                     "is a secret",
		"region: a\noptions: {aws: {hook: x}}\nresources: []\n":                      "runs a program",
		"region: a\nresources:\n  - {type: s3, name: abc, bucket: x, spec: {}}\n":    "move it into spec",
	} {
		if p := problems(t, head+text); len(p) != 1 || !strings.Contains(p[0].String(), want) {
			t.Errorf("%s\nwant %q, got %v", text, want, p)
		}
	}
}
