package config_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source/config"
)

// everyKey uses each key.
const everyKey = `version: v1
stack: everything
provider: aws
defaults:
  region: us-east-1
  tags: {team: platform, environment: dev}
rules:
  skip_destructive: false
  max_destroy: 10%
  windows:
    - name: nights
      days: [sat, sun]
      from: 22:00
      to: "04:30"
      zone: Europe/Berlin
      actions: [delete]
      kinds: [rds, file]
  approvals:
    - {actions: [delete, replace], kinds: [rds], approvers: 2}
  rules:
    - name: keep-prod
      when: decision.action == 'delete'
      effect: deny
      message: no
    - name: later
      when: |
        true
      effect: defer
      until: "now"
    - {name: two, when: 'x', effect: require_approval, approvers: 2}
  drift: [{kind: rds, path: storage, when: 'new < old', effect: ignore}, {path: tags.a, effect: ignore}]
ignore:
  ec2: [tags.LastScan, root_volume]
  rds: ["*"]
options:
  parallelism: 4
  claim_ttl: 90s
  skip_destructive: true
resources:
  - type: ec2
    name: web
    count: 2
    update: {max_unavailable: 50%}
    region: eu-west-1
    size: t3.micro
    tags: {environment: prod, number: 1.10, flag: true, empty: ""}
    blessed: true
    ignore: [tags.a, user_data]
    depends_on: [store]
  - type: s3
    name: store
    region: eu-west-1
public: [env:TEAM, "file:team name.txt"]
`

func TestEveryKey(t *testing.T) {
	in := mustLoad(t, everyKey)
	if in.Stack != "everything" || in.Source != "ovi.yaml" || !strings.HasPrefix(in.Version, "sha256:") {
		t.Errorf("stack %q, source %q, version %q", in.Stack, in.Source, in.Version)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	location := func(line, column int) position.Position {
		return position.Position{File: "ovi.yaml", Line: line, Column: column}
	}
	wantRules := rules.Rules{
		SkipDestructive: true, MaxDestroy: rules.Budget{Set: true, Count: 10, Percent: true},
		Ignore: []rules.Ignore{
			{Kind: "ec2", Paths: []string{"tags.LastScan", "root_volume"}},
			{Kind: "rds", Paths: []string{"*"}},
		},
		Windows: []rules.Window{{
			Name: "nights", Days: []time.Weekday{time.Saturday, time.Sunday}, From: 22 * time.Hour,
			To: 4*time.Hour + 30*time.Minute, Zone: berlin, Actions: []string{"delete"}, Kinds: []string{"rds", "file"},
		}},
		Approvals: []rules.Approval{{Actions: []string{"delete", "replace"}, Kinds: []string{"rds"}, Approvers: 2}},
		Expressions: []rules.Expression{
			{
				Name: "keep-prod", When: "decision.action == 'delete'", Effect: "deny", Message: "no", At: location(21, 7),
				WhenAt: location(22, 13),
			},
			{
				Name: "later", When: "true\n", Effect: "defer", Until: "now", At: location(25, 7), WhenAt: location(27, 9),
				UntilAt: location(29, 15),
			},
			{Name: "two", When: "x", Effect: "require_approval", Approvers: 2, At: location(30, 7), WhenAt: location(30, 26)},
		},
		Drift: []rules.Drift{{
			Kind: "rds", Path: "storage", When: "new < old", At: location(31, 11),
			WhenAt: location(31, 45),
		}, {Path: "tags.a", At: location(31, 74)}},
	}
	if diff := cmp.Diff(wantRules, in.Rules, compare()...); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(resource.Options{Parallelism: 4, ClaimTTL: 90 * time.Second}, in.Options); diff != "" {
		t.Error(diff)
	}
	store := resource.Ref{Stack: "everything", Provider: "aws", Location: "eu-west-1", Kind: "s3", Name: "store"}
	want := resource.Desired{
		Ref:   resource.Ref{Stack: "everything", Provider: "aws", Location: "eu-west-1", Kind: "ec2", Name: "web-1"},
		Attrs: resource.AttrsOf(map[string]resource.Value{"size": resource.String("t3.micro")}), State: resource.StateRunning,
		Tags: resource.TagsOf(map[string]string{
			"team": "platform", "environment": "prod", "number": "1.10",
			"flag": "true", "empty": "",
		}),
		DependsOn: []resource.Ref{store},
		Set:       &resource.Set{Name: "web", MaxUnavailable: rules.Budget{Set: true, Count: 50, Percent: true}},
		Blessed:   true, Ignore: []string{"tags.a", "user_data"},
		At: position.Position{File: "ovi.yaml", Line: 40, Column: 5}, Defaulted: []string{"state"},
	}
	if diff := cmp.Diff(want, in.Resources[1]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]resource.Scope{
		{Provider: "aws", Location: "eu-west-1"},
		{Provider: "aws", Location: "us-east-1"},
	}, in.Scopes); diff != "" {
		t.Error(diff)
	}
}

func TestReferencesAreLookedUp(t *testing.T) {
	in := mustLoad(t, "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n"+indented(strings.Join(blocks[:5], ""),
		2))
	at := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: "test", Provider: "aws", Location: "us-east-1", Kind: kind, Name: name}
	}
	for _, o := range in.Resources {
		switch o.Ref.Kind {
		case "ec2":
			if diff := cmp.Diff([]resource.Ref{at("security_group", "web"), at("subnet", "app")}, o.DependsOn); diff != "" {
				t.Errorf("%s: %s", o.Ref, diff)
			}
			groups, _ := o.Attrs.Get("security_groups")
			want := resource.SortSet(resource.List{
				resource.Reference{Ref: at("security_group", "web")},
				resource.String("sg-0123"),
			})
			if diff := cmp.Diff(resource.Value(want), groups); diff != "" {
				t.Errorf("%s: %s", o.Ref, diff)
			}
		case "ebs":
			if diff := cmp.Diff([]resource.Ref{at("ec2", "web-0")}, o.DependsOn); diff != "" {
				t.Errorf("%s: %s", o.Ref, diff)
			}
		}
	}
}

// TestNamesThatLookLikeIDs: a name of the stack wins over an id, wherever it is.
func TestNamesThatLookLikeIDs(t *testing.T) {
	in := mustLoad(t, `version: v1
provider: aws
region: us-east-1
resources:
  - {type: ec2, name: web, size: t3.micro, subnet: subnet-a, security_groups: [sg-0a1b, sg-web]}
  - {type: subnet, name: subnet-a, vpc: vpc-0123456789abcdef0}
  - {type: security_group, name: sg-web}
`)
	at := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: "test", Provider: "aws", Location: "us-east-1", Kind: kind, Name: name}
	}
	web, subnet := in.Resources[0], in.Resources[2]
	if diff := cmp.Diff([]resource.Ref{at("security_group", "sg-web"), at("subnet", "subnet-a")},
		web.DependsOn); diff != "" {
		t.Error(diff)
	}
	if v, _ := web.Attrs.Get("subnet"); v != (resource.Reference{Ref: at("subnet", "subnet-a")}) {
		t.Errorf("subnet is %v", v)
	}
	if v, _ := subnet.Attrs.Get("vpc"); v != resource.String("vpc-0123456789abcdef0") || len(subnet.DependsOn) > 0 {
		t.Errorf("vpc is %v, and depends on %v", v, subnet.DependsOn)
	}
}

// TestJSONMeansWhatYAMLMeans, with other letters and escapes too.
func TestJSONMeansWhatYAMLMeans(t *testing.T) {
	asJSON := "{\"version\": \"v1\", \"provider\": \"aws\", \"region\": \"us-east-1\", \"resources\": [\n" +
		"\t{\"type\": \"ebs\", \"name\": \"d\", \"zone\": \"a\", \"size\": 20, \"weight\": 1.5, \"encrypted\": true,\n" +
		"\t \"tags\": {\"smile\": \"\\ud83d\\ude00 \\\"x\\\"\"}}]}"
	fromJSON, err := loadFiles(t, map[string]string{"ovi.json": asJSON}, "ovi.json")
	if err != nil {
		t.Fatal(err)
	}
	fromYAML := mustLoad(t, "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - type: ebs\n    name: d\n"+
		"    zone: a\n    size: 20\n    weight: 1.5\n    encrypted: true\n    tags: {smile: '\U0001F600 \"x\"'}\n")
	if at := fromJSON.Resources[0].At; at != (position.Position{File: "ovi.json", Line: 2, Column: 2}) {
		t.Errorf("it is at %v", at)
	}
	fromJSON.Resources[0].At = fromYAML.Resources[0].At
	if diff := cmp.Diff(fromYAML.Resources, fromJSON.Resources); diff != "" {
		t.Error(diff)
	}
}

func TestValuesFromOutside(t *testing.T) {
	in, err := loadFiles(t, map[string]string{
		"sub/ovi.yaml": "version: v1\nprovider: aws\npublic: [env:STAGE, env:NUMBER, env:YES, env:SIZE, env:EMPTY, " +
			"file:init.sh]\nregion: ${env:STAGE}-1\nresources:\n" +
			"  - type: ebs\n    name: ${env:STAGE}-data\n    zone: a\n    size: ${env:NUMBER}\n    encrypted: ${env:YES}\n" +
			"    weight: ${env:NUMBER}\n    tags: {stage: \"is ${env:STAGE}\"}\n" +
			"  - type: ec2\n    name: web\n    count: ${env:NUMBER}\n    size: ${env:SIZE}\n    blessed: ${env:YES}\n" +
			"    user_data: ${file:init.sh}\n    key_name: $${env:STAGE}${env:EMPTY}\n",
		"sub/init.sh": "#!/bin/sh\necho ${HOME}\n",
	}, "sub/ovi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Resources) != 43 {
		t.Fatalf("%d objects", len(in.Resources))
	}
	want := resource.AttrsOf(map[string]resource.Value{
		"zone": resource.String("a"), "size": resource.Int(42),
		"encrypted": resource.Bool(true), "weight": resource.Float(42),
	})
	if diff := cmp.Diff(want, in.Resources[0].Attrs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(resource.TagsOf(map[string]string{"stage": "is prod"}), in.Resources[0].Tags); diff != "" {
		t.Error(diff)
	}
	if got := in.Resources[0].Ref.String(); got != "test:aws/prod-1/ebs/prod-data" {
		t.Error(got)
	}
	want = resource.AttrsOf(map[string]resource.Value{
		"size":      resource.String("t3.small"),
		"user_data": resource.String("#!/bin/sh\necho ${HOME}"), "key_name": resource.String("${env:STAGE}"),
	})
	if diff := cmp.Diff(want, in.Resources[1].Attrs); diff != "" {
		t.Error(diff)
	}
	if !in.Resources[1].Blessed {
		t.Error("blessed by a variable is not blessed")
	}
}

func TestSeveralFilesAreOneStack(t *testing.T) {
	net := "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - type: vpc\n    name: main\n" +
		"    cidr: 10.0.0.0/16\n"
	app := `{"version": "v1", "stack": "shop", "provider": "aws", "region": "us-east-1", "resources": [{"type": "subnet", "name": "a", "vpc": "main"}]}`
	both := "---\n" + net + "---\nversion: v1\nprovider: box\nlocation: here\nresources:\n  - type: file\n" +
		"    content: \"\\ud83d\"\n"
	both = strings.Replace(both, `"\ud83d"`, "x", 1)
	for name, files := range map[string]map[string]string{
		"a folder": {
			"d/net.yaml": net, "d/app.json": app, "d/.hidden.yaml": "{", "d/notes.txt": "{",
			"d/sub/x.yaml": "{",
		},
		"several documents": {"d/both.yml": both, "d/app.json": app},
	} {
		in, err := loadFiles(t, files, "d")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if in.Stack != "shop" {
			t.Errorf("%s: stack %q", name, in.Stack)
		}
		want := []string{"aws/us-east-1/subnet/a", "aws/us-east-1/vpc/main"}
		if name == "several documents" {
			want = append(want, "box/here/file/file")
		}
		if diff := cmp.Diff(want, refs(in)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	in, err := loadFiles(t, map[string]string{"a.yaml": net, "b.json": app}, "b.json", "a.yaml", "./a.yaml")
	if err != nil || len(in.Resources) != 2 {
		t.Errorf("the same file twice: %v, %v", refs(in), err)
	}
}

func TestStackIsTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my web")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "ovi.yaml")
	if err := os.WriteFile(name, []byte("version: v1\nprovider: aws\nresources: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	opts := options(nil)
	opts.Files, opts.Stack = nil, ""
	for _, path := range []string{name, dir} {
		in, err := loadFrom(config.New([]string{path}, opts))
		if err != nil || in.Stack != "my-web" || len(in.Resources) != 0 {
			t.Errorf("%s: stack %q, %v", path, in.Stack, err)
		}
	}
}

func TestWindowsFilesMeanTheSame(t *testing.T) {
	text := "version: v1\nprovider: aws\npublic: [env:SIZE]\nregion: us-east-1\nresources:\n" +
		indented(strings.Join(blocks[:fine], ""), 2)
	plain := mustLoad(t, text)
	for name, other := range map[string]string{
		"line ends":       strings.ReplaceAll(text, "\n", "\r\n"),
		"byte order mark": "\uFEFF" + text,
	} {
		in := mustLoad(t, other)
		if diff := cmp.Diff(plain.Resources, in.Resources, compare()...); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAnchorsAndMergeKeys(t *testing.T) {
	in := mustLoad(t, `version: v1
provider: aws
region: us-east-1
defaults:
  tags: &common {team: platform}
resources:
  - &base
    type: ec2
    name: one
    size: t3.micro
    tags: *common
  - <<: *base
    name: two
    size: t3.small
  - <<: [{image: ami-1, size: t3.large}, *base]
    name: three
`)
	sizes := map[string]string{}
	for _, o := range in.Resources {
		v, _ := o.Attrs.Get("size")
		sizes[o.Ref.Name] = string(v.(resource.String))
	}
	if diff := cmp.Diff(map[string]string{"one": "t3.micro", "two": "t3.small", "three": "t3.large"}, sizes); diff != "" {
		t.Error(diff)
	}
}

// TestAliasesCannotFillTheMemory: a file that doubles itself twenty times.
func TestAliasesCannotFillTheMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: v1\nprovider: aws\ndefaults:\n  tags: {a0: &a0 [x, x]}\n")
	b.WriteString("ignore:\n  - &b0 [x, x, x, x]\n")
	for i := range 20 {
		b.WriteString("  - &b" + string(rune('a'+i)) + " [*b" + string(rune('a'+i-1)) + ", *b" + string(rune('a'+i-1)) +
			", *b" + string(rune('a'+i-1)) + "]\n")
	}
	text := strings.ReplaceAll(b.String(), "*b`", "*b0") + "resources: []\n"
	found := false
	for _, p := range problems(t, text) {
		found = found || strings.Contains(p.Summary, "aliases expand to too many")
	}
	if !found {
		t.Errorf("no problem is about the aliases: %v", problems(t, text))
	}
}

func TestEqualAttributesShareMemory(t *testing.T) {
	in := mustLoad(t, "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n"+
		"  - {type: ec2, name: a, size: t3.micro, tags: {x: y}}\n  - {type: ec2, name: b, size: t3.micro, tags: {x: y}}\n")
	if &in.Resources[0].Attrs[0] != &in.Resources[1].Attrs[0] || &in.Resources[0].Tags[0] != &in.Resources[1].Tags[0] {
		t.Error("equal attributes and tags are held twice")
	}
}

// TestManyProblems: a big stack full of errors is reported soon, and what is omitted is
// counted.
func TestManyProblems(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: v1\nprovider: aws\nregion: us-east-1\nresources:\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "  - {type: ec2, name: web-server-%d, size: t3.micro}\n"+
			"  - {type: ebs, name: disk-%d, size: 1, attach_to: wep-server-%d}\n", i, i, i)
	}
	p := problems(t, b.String())
	if len(p) != 1001 || p[1000].Summary != "4000 more problems" {
		t.Errorf("%d problems, the last one %q", len(p), p[len(p)-1].Summary)
	}
	if p[0].Suggestion != "use web-server-0" {
		t.Errorf("the first one suggests %q", p[0].Suggestion)
	}
}

func TestRulesInFilesOfTheirOwn(t *testing.T) {
	files := fstest.MapFS{
		"p/a.yaml": {Data: []byte("version: v1\nmax_destroy: 3\nrules:\n  - {name: a, when: 'true', effect: warn}\n---\n" +
			"version: v1\nskip_destructive: true\n")},
		"p/b.json": {Data: []byte(`{"version": "v1", "rules": [{"name": "b", "when": "true", "effect": "deny"}]}`)},
	}
	rules, err := config.Rules(context.Background(), []string{"p"}, options(files))
	if err != nil || !rules.SkipDestructive || rules.MaxDestroy.Count != 3 || len(rules.Expressions) != 2 ||
		rules.Expressions[1].Name != "b" {
		t.Errorf("%+v, %v", rules, err)
	}
	files["p/c.yaml"] = &fstest.MapFile{Data: []byte("max_destroy: 5\nrule: []\n")}
	_, err = config.Rules(context.Background(), []string{"p"}, options(files))
	want := "the file has no version\n  at p/c.yaml:1:1\n  Suggestion: add version: v1 as the first line\n" +
		"conflicting max_destroy: 5 here, and 3 at p/a.yaml:2\n  at p/c.yaml:1:14\n" +
		"  Suggestion: set it once: it is for the whole stack\n" +
		"unknown key \"rule\" in the file\n  at p/c.yaml:2:1\n  Suggestion: use rules"
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
}

// TestAStackHasAnEnd: a few lines with counts ask for more than fits in memory, and are refused once.
func TestAStackHasAnEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: v1\nprovider: aws\nregion: us-east-1\nresources:\n")
	for i := range 300 {
		fmt.Fprintf(&b, "  - {type: vpc, name: n%d, cidr: 10.0.0.0/16, count: 10000}\n", i)
	}
	got := problems(t, b.String())
	if len(got) != 1 || got[0].Summary != "the stack has more than 200000 resources" || got[0].At.Line != 25 {
		t.Errorf("problems: %v", got)
	}
}
