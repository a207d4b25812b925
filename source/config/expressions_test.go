package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// loadWith reads one text as ovi.yaml with changed options.
func loadWith(text string, change func(*config.Options)) (resource.Intent, error) {
	opts := options(fstest.MapFS{"ovi.yaml": {Data: []byte(text)}})
	if change != nil {
		change(&opts)
	}
	return loadFrom(config.New([]string{"ovi.yaml"}, opts))
}

// described is an intent as text, with all that expressions can change.
func described(t tb, in resource.Intent) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "stack %s %+v\n", in.Stack, in.Scopes)
	for _, r := range in.Resources {
		attrs, err := json.Marshal(r.Attrs)
		if err != nil {
			t.Fatalf("%v", err)
		}
		fmt.Fprintf(&b, "%s %s tags=%v blessed=%t after=%v\n", r.Ref, attrs, r.Tags, r.Blessed, r.DependsOn)
	}
	return b.String()
}

func shop(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/expressions/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOneFileIsThreeEnvironments compares the worked example in each environment with a golden list, and loads it often.
func TestOneFileIsThreeEnvironments(t *testing.T) {
	text := shop(t)
	for _, env := range []string{"dev", "staging", "prod"} {
		t.Run(env, func(t *testing.T) {
			load := func() string {
				in, err := loadWith(text, func(o *config.Options) { o.Environment = env })
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(described(t, in), fakeSecret) {
					t.Fatal("the intent shows the secret")
				}
				return described(t, in)
			}
			first := load()
			golden(t, "testdata/expressions/shop."+env+".golden", first)
			for range 100 {
				if diff := cmp.Diff(first, load()); diff != "" {
					t.Fatal(diff)
				}
			}
		})
	}
}

// TestWrongExpressions compares the problems of inputs with golden files. The first lines of an input have its options.
func TestWrongExpressions(t *testing.T) {
	names, err := filepath.Glob("testdata/expressions/bad/*.yaml")
	if err != nil || len(names) < 40 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = loadWith(string(b), func(o *config.Options) {
				for line := range strings.Lines(string(b)) {
					if env, ok := strings.CutPrefix(line, "# env: "); ok {
						o.Environment, o.AskedFor = strings.TrimSpace(env), true
					}
					if set, ok := strings.CutPrefix(line, "# set: "); ok {
						o.Set = append(o.Set, strings.TrimSpace(set))
					}
				}
			})
			var problems source.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("no problems, but %v", err)
			}
			for _, p := range problems {
				if p.At.File == "" || p.Suggestion == "" {
					t.Errorf("a problem without a place or a suggestion: %+v", p)
				}
				if strings.Contains(p.String(), fakeSecret) {
					t.Errorf("a problem that shows the secret: %s", p)
				}
			}
			golden(t, strings.TrimSuffix(name, ".yaml")+".golden", err.Error()+"\n")
		})
	}
}

// TestOrderOfEntriesChangesNothing permutes blocks, the entries of for_each, and maps.
func TestOrderOfEntriesChangesNothing(t *testing.T) {
	blocks := []string{
		"  - {type: subnet, name: app, for_each: \"${vars.nets}\", cidr: \"${each.value}\"}\n",
		"  - {type: ec2, name: \"web-${each.key}\", group: web, for_each: \"${vars.zones}\", size: t3.micro, subnet: \"app-${each.key}\"}\n",
		"  - {type: s3, name: example-logs, depends_on: [web], tags: {all: \"${vars.nets.map(k, vars.nets[k]).join()}\"}}\n",
	}
	zones := []string{"a", "b", "c", "d"}
	var want string
	rapid.Check(t, func(rt *rapid.T) {
		var nets []string
		for _, z := range rapid.Permutation(zones).Draw(rt, "nets") {
			nets = append(nets, fmt.Sprintf("%s: 10.0.%d.0/24", z, slices.Index(zones, z)))
		}
		text := "version: v1\nprovider: aws\nregion: us-east-1\nvars:\n  zones: [" +
			strings.Join(rapid.Permutation(zones).Draw(rt, "zones"), ", ") + "]\n  nets: {default: {" +
			strings.Join(nets, ", ") + "}}\nresources:\n" + strings.Join(rapid.Permutation(blocks).Draw(rt, "blocks"), "")
		got := described(rt, mustLoad(rt, text))
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%s", diff)
		}
	})
}

// TestRemovedKeyTouchesItsResourcesAlone removes one zone of several.
func TestRemovedKeyTouchesItsResourcesAlone(t *testing.T) {
	text := "version: v1\nprovider: aws\nregion: us-east-1\nvars: {zones: [a, b, c]}\nresources:\n" +
		"  - {type: ec2, name: web, for_each: \"${vars.zones}\", size: t3.micro, key_name: \"${each.value}\"}\n"
	all := mustLoad(t, text)
	left, err := loadWith(text, func(o *config.Options) { o.Set = []string{"zones=[a, c]"} })
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(all.Resources), func(r resource.Desired) bool { return r.Ref.Name == "web-b" })
	if diff := cmp.Diff(want, left.Resources); diff != "" {
		t.Error(diff)
	}
	if all.Version == left.Version {
		t.Error("another value is the same version")
	}
}

// TestValuesWin checks the order default, environment, file of values, command line.
func TestValuesWin(t *testing.T) {
	text := "version: v1\nstack: s\nprovider: aws\nregion: us-east-1\nvars: {a: d, b: d, c: d, d: d}\n" +
		"environments: {dev: {vars: {b: e, c: e, d: e}}}\nresources:\n" +
		"  - {type: s3, name: example-logs, tags: {all: \"${vars.a}${vars.b}${vars.c}${vars.d}\"}}\n"
	opts := options(fstest.MapFS{
		"ovi.yaml": {Data: []byte(text)}, "v.yaml": {Data: []byte("c: v\nd: v\n")},
	})
	opts.Environment, opts.Values, opts.Set = "dev", []string{"v.yaml"}, []string{"d=x", "d=s"}
	in, err := loadFrom(config.New([]string{"ovi.yaml"}, opts))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(in.Resources[0].Tags); !strings.Contains(got, "devs") {
		t.Errorf("got %s", got)
	}
}

// TestFilesShareVariables: vars, locals and environments are of the stack, not of a document.
func TestFilesShareVariables(t *testing.T) {
	in, err := loadFiles(t, map[string]string{
		"d/a.yaml": "version: v1\nvars: {size: t3.micro}\nlocals: {name: \"${vars.size}\"}\nresources: []\n",
		"d/b.yaml": "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - {type: ec2, name: web, size: \"${locals.name}\"}\n",
	}, "d")
	if err != nil || len(in.Resources) != 1 {
		t.Fatal(in, err)
	}
}

// TestLiteralsStay: $${ and values with ${ in them are not evaluated again.
func TestLiteralsStay(t *testing.T) {
	in := mustLoad(t, "version: v1\nprovider: aws\nregion: us-east-1\nvars: {a: '$${x}'}\nresources:\n"+
		"  - {type: ec2, name: web, size: t3.micro, user_data: \"${vars.a} $${y}\", key_name: \"${vars.a}\"}\n")
	got := described(t, in)
	if !strings.Contains(got, `"key_name":"${x}"`) || !strings.Contains(got, "${x} ${y}") {
		t.Error(got)
	}
}

// TestSecretVersions: two secrets from the command line are two versions, and neither is shown.
func TestSecretVersions(t *testing.T) {
	text := "version: v1\nprovider: aws\nregion: us-east-1\nvars: {pw: {type: secret}}\nresources:\n" +
		"  - {type: rds, name: db, size: db.t3.micro, password: \"${vars.pw}\"}\n"
	var versions []string
	for _, pw := range []string{fakeSecret + "-1", fakeSecret + "-2"} {
		in, err := loadWith(text, func(o *config.Options) { o.Set = []string{"pw=" + pw} })
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(in)
		if err != nil || bytes.Contains(b, []byte(fakeSecret)) {
			t.Errorf("the intent shows the secret: %s %v", b, err)
		}
		versions = append(versions, in.Version)
	}
	if versions[0] == versions[1] {
		t.Error("two secrets have one version")
	}
}

// TestListsOfSecrets gives secrets in lists and maps in each way a value can come: none is shown, a changed one is
// another version, and text outside of the configuration is read by its type.
func TestListsOfSecrets(t *testing.T) {
	head := "version: v1\nprovider: aws\nregion: us-east-1\nvars:\n  pws: {type: 'list(secret?)', max: 2, default: %s}\n" +
		"  of: {type: map(secret), default: %s}\nresources:\n" +
		"  - {type: rds, name: first, size: db.t3.micro, password: \"${vars.pws[0]}\"}\n" +
		"  - {type: rds, name: \"db-${each.key}\", for_each: \"${vars.of}\", size: db.t3.micro, password: \"${each.value}\"}\n"
	written := []any{`["${env:A}", null]`, `{a: "${env:A}", b: "x-${env:B}"}`}
	texts := []any{`"${env:LIST}"`, `"${env:MAP}"`}
	load := func(defaults []any, a, b string, set ...string) (resource.Intent, error) {
		return loadWith(fmt.Sprintf(head, defaults...), func(o *config.Options) {
			env := map[string]string{
				"A": a, "B": b, "LIST": fmt.Sprintf(`["%s", ~]`, a), "MAP": fmt.Sprintf("{a: %s, b: x-%s}", a, b),
			}
			o.Env = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
			o.Set = set
		})
	}
	const one, two = fakeSecret + "-1", fakeSecret + "-2"
	versions := map[string]string{}
	for name, x := range map[string]struct {
		defaults []any
		a, b     string
		set      []string
	}{
		"written":             {written, one, two, nil},
		"another":             {written, one, one, nil},
		"texts":               {texts, one, two, nil},
		"another text":        {texts, two, two, nil},
		"command line":        {written, one, two, []string{`pws=["` + two + `"]`, "of={a: " + one + "}"}},
		"another element":     {written, one, two, []string{`pws=["` + one + `"]`, "of={a: " + one + "}"}},
		"another key of them": {written, one, two, []string{`pws=["` + one + `"]`, "of={c: " + one + "}"}},
	} {
		in, err := load(x.defaults, x.a, x.b, x.set...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, err := json.Marshal(in)
		if err != nil || bytes.Contains(b, []byte(fakeSecret)) || len(in.Resources) < 2 {
			t.Errorf("%s: the intent shows a secret, or lacks resources: %s %v", name, b, err)
		}
		if other := versions[in.Version]; other != "" {
			t.Errorf("%s and %s have one version", name, other)
		}
		versions[in.Version] = name
	}
	for set, want := range map[string]string{
		"pws=" + fakeSecret:                 "vars.pws: it must be list(secret?), got a string",
		`pws=[{"a": "` + fakeSecret + `"}]`: "element 0: a secret must be text, got a block of keys",
		`pws=["` + fakeSecret + `"`:         "vars.pws: it must be list(secret?), got a string",
		"pws=[a, b, " + fakeSecret + "]":    "it must be at most 2, got 3",
		"of={a: ~, b: " + fakeSecret + "}":  "key 1: a secret must be text, got nothing",
		`of={a = "` + fakeSecret + `"}`:     "key 1 is no name: write KEY: VALUE",
	} {
		_, err := load(written, one, two, set)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), fakeSecret) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := load([]any{`"${env:A}"`, "{}"}, one, two); err == nil ||
		!strings.Contains(err.Error(), "it must be list(secret?), and the text from outside is not") || strings.Contains(err.Error(), one) {
		t.Error(err)
	}
}

// TestWhatIsReadChangesTheVersion reads variables, a file and the environment.
func TestWhatIsReadChangesTheVersion(t *testing.T) {
	text := "version: v1\nstack: a\nprovider: aws\nregion: us-east-1\npublic: [env:TEAM]\nvars: {list: [\"${env:ITEM}\"], " +
		"size: t3.micro}\nenvironments: {dev: {account: \"111111111111\"}, prod: {account: \"222222222222\"}}\n" +
		"resources:\n  - {type: rds, name: db, size: db.t3.micro, password: \"${file:pw}\"}\n" +
		"  - {type: ec2, name: web, size: \"${vars.size}\", tags: {team: \"${env:TEAM}\"}}\n" +
		"  - {type: rds, name: other, size: db.t3.micro, password: \"${vars.list[0]}\"}\n"
	load := func(env map[string]string, pw, environment string, set ...string) string {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "ovi.yaml"), []byte(text))
		write(t, filepath.Join(dir, "pw"), []byte(pw))
		o := options(nil)
		o.Env = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		o.Environment, o.Set = environment, set
		in, err := config.New([]string{filepath.Join(dir, "ovi.yaml")}, o).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		intents, problems := source.Resolve(in)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return intents[0].Version
	}
	env := func(team, item string) map[string]string { return map[string]string{"TEAM": team, "ITEM": item} }
	one := load(env("a", "password-b"), "password-1", "dev")
	if again := load(env("a", "password-b"), "password-1", "dev"); again != one {
		t.Errorf("what did not change has the versions %s and %s", one, again)
	}
	for what, version := range map[string]string{
		"a public variable": load(env("c", "password-b"), "password-1", "dev"), "a secret variable": load(env("a", "password-c"), "password-1", "dev"),
		"a file": load(env("a", "password-b"), "password-2", "dev"), "the environment": load(env("a", "password-b"), "password-1", "prod"),
		"a value": load(env("a", "password-b"), "password-1", "dev", "size=t3.small"),
	} {
		if version == one {
			t.Errorf("%s has changed, and the version has not", what)
		}
	}
}

func BenchmarkExpressions(b *testing.B) {
	for name, extra := range map[string]string{
		"paths": "key_name: \"${vars.key}\"",
		"three": "key_name: \"${each.value + '-k'}\"\n    image: \"${'ami-' + each.key}\"\n    user_data: \"${each.key + vars.key}\"",
	} {
		b.Run(name, func(b *testing.B) {
			var text strings.Builder
			text.WriteString("version: v1\nprovider: aws\nregion: us-east-1\nvars: {key: k}\nlocals: {n: \"${lists.range(1000)" +
				".map(i, string(i))}\"}\nresources:\n")
			for i := range 10 {
				fmt.Fprintf(&text, "  - type: ec2\n    name: web%d\n    for_each: ${locals.n}\n    size: t3.micro\n    %s\n", i, extra)
			}
			src := config.New([]string{"ovi.yaml"}, options(fstest.MapFS{"ovi.yaml": {Data: []byte(text.String())}}))
			b.ReportAllocs()
			for b.Loop() {
				if in, err := loadFrom(src); err != nil || len(in.Resources) != 10_000 {
					b.Fatal(len(in.Resources), err)
				}
			}
		})
	}
}

// TestTheAccountOfAnEnvironmentComesFirst: options of an environment, and of the file, are of its account and not of
// the whole stack, and every location is in it: of blocks, of `moved`, and of documents of one provider only.
func TestTheAccountOfAnEnvironmentComesFirst(t *testing.T) {
	t.Parallel()
	const environments = "environments:\n  dev: {account: \"111111111111\", options: {aws: {role: r}}}\n  plain: {}\n"
	for name, c := range map[string]struct{ text, env, role, scopes string }{
		"of the document": {"region: us-east-1\nresources: []\n", "dev", "111111111111=r", "aws/111111111111/us-east-1"},
		"of the block": {
			"resources:\n  - {type: vpc, name: a, region: eu-west-1, cidr: 10.0.0.0/16}\n", "dev", "111111111111=r", "aws/111111111111/eu-west-1",
		},
		"its own account stays": {
			"region: us-east-1\nresources:\n  - {type: vpc, name: a, region: 222222222222/eu-west-1, cidr: 10.0.0.0/16}\n", "dev",
			"111111111111=r", "aws/111111111111/us-east-1 aws/222222222222/eu-west-1",
		},
		"without one": {"region: us-east-1\noptions: {aws: {role: r}}\nresources: []\n", "plain", "r", "aws/us-east-1"},
	} {
		in, err := loadWith("version: v1\nstack: shop\nprovider: aws\n"+environments+c.text, func(o *config.Options) {
			o.Environment = c.env
		})
		var scopes []string
		for _, s := range in.Scopes {
			scopes = append(scopes, s.String())
		}
		for _, r := range in.Resources {
			scopes = append(scopes, r.Ref.Scope().String())
		}
		slices.Sort(scopes)
		if got := strings.Join(slices.Compact(scopes), " "); err != nil || in.Options.Providers["aws"]["role"] != c.role || got != c.scopes {
			t.Errorf("%s: %q %q %v", name, in.Options.Providers["aws"]["role"], got, err)
		}
	}
	in, err := loadWith("version: v1\nstack: shop\nprovider: aws\nregion: us-east-1\n"+environments+
		"moved: [{from: vpc/old, to: vpc/a}]\nresources:\n  - {type: vpc, name: a, cidr: 10.0.0.0/16}\n", func(o *config.Options) {
		o.Environment = "dev"
	})
	if err != nil || len(in.Moved) != 1 || in.Moved[0].From.Location != "111111111111/us-east-1" {
		t.Errorf("%+v %v", in.Moved, err)
	}
	_, err = loadWith("version: v1\nstack: shop\nprovider: aws\nregion: us-east-1\nenvironments: {dev: {account: prod account}}\nresources: []\n", func(o *config.Options) {
		o.Environment = "dev"
	})
	if err == nil || !strings.Contains(err.Error(), `invalid account "prod account" for provider aws`) {
		t.Error(err)
	}
}

// TestNumbersOfExpressions: a number that an expression returns is written in plain digits, and a whole one is allowed
// where a whole number is needed.
func TestNumbersOfExpressions(t *testing.T) {
	t.Parallel()
	text := head + "vars: {n: {type: number, default: 3}}\nlocals: {big: 1000000.0, half: 0.5}\nresources:\n" +
		"  - {type: ec2, name: web, size: t3.micro, count: \"${vars.n}\", root_volume: {size: \"${vars.n * 4.0}\"},\n" +
		"    tags: {big: \"${locals.big * 10.0}\", text: \"n-${locals.big}\", half: \"${locals.half}\", " +
		"tiny: \"${locals.half / 1000.0}\"}}\n"
	in, err := loadWith(text, nil)
	if err != nil || len(in.Resources) != 3 {
		t.Fatal(len(in.Resources), err)
	}
	got := fmt.Sprint(in.Resources[0].Tags, in.Resources[0].Attrs)
	for _, want := range []string{"10000000", "n-1000000", "0.5", "0.0005", "12"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	_, err = loadWith(strings.Replace(text, "vars.n * 4.0", "vars.n * 3.5", 1), nil)
	if err == nil || !strings.Contains(err.Error(), "size must be a whole number, got 10.5") {
		t.Error(err)
	}
}
