package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// tree returns the files of a txtar archive. ovi.yaml gets the head of all tests.
func tree(text string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		data := string(f.Data)
		switch {
		case filepath.Base(f.Name) == "component.yaml" && !strings.Contains(data, "version:"):
			data = "version: v1\n" + data
		case f.Name == "ovi.yaml":
			data = head + data
		}
		out[f.Name] = &fstest.MapFile{Data: []byte(data)}
	}
	return out
}

func loadTree(files fstest.MapFS, change func(*config.Options)) (resource.Intent, error) {
	opts := options(files)
	opts.Git = inGit
	if change != nil {
		change(&opts)
	}
	return loadFrom(config.New([]string{"ovi.yaml"}, opts))
}

// inGit answers for the components in Git of tests: a commit of ones is in the cache, of twos is not, and any other was
// changed.
func inGit(l gitlock.Line) (fs.FS, error) {
	switch l.Commit[0] {
	case '1':
	case '2':
		return nil, &gitlock.Error{Summary: l.URL.String() + " is not in the cache", Next: "none", Kind: gitlock.ErrMissing}
	default:
		return nil, &gitlock.Error{Summary: l.URL.String() + " was changed", Next: "find out why", Kind: gitlock.ErrChanged}
	}
	out := fstest.MapFS{}
	for name, f := range tree(libInGit) {
		if strings.HasPrefix(name, l.URL.Path+"/") {
			out[name] = f
		}
	}
	return out, nil
}

// libInGit is the repository of components of tests.
const libInGit = `
-- net/component.yaml --
vars: {cidr: {type: string}}
resources:
  - {type: vpc, name: main, cidr: "${vars.cidr}", tags: {note: "${file:note.txt}"}}
  - {use: ./inner, name: i, vars: {vpc: "${vpc/main}"}}
  - {use: ../zones, name: z, vars: {vpc: "${vpc/main}"}}
public: ["file:note.txt"]
outputs: {vpc: "${vpc/main}"}
-- net/note.txt --
a note
-- net/inner/component.yaml --
vars: {vpc: {type: ref(vpc)}}
resources: [{type: subnet, name: in, vpc: "${vars.vpc}", cidr: 10.0.0.0/24}]
-- zones/component.yaml --
vars: {vpc: {type: ref(vpc)}}
resources: [{type: subnet, name: app, vpc: "${vars.vpc}", cidr: 10.0.1.0/24}]
-- wrong/component.yaml --
resources:
  - {type: vpc, name: main, cidr: "${vars.none}", cidrr: x}
  - {type: vpc, name: other, cidr: "${file:../net/note.txt}"}
-- escape/component.yaml --
resources:
  - {use: ../../other, name: a}
  - {use: /etc, name: b}
  - {use: "./x/../../../net", name: c}
-- outer/component.yaml --
resources: [{use: ../net, name: a}]
-- here/component.yaml --
resources: [{use: "git+file:///srv/lib//x", name: a}]
-- self/component.yaml --
resources: [{use: "git+https://example.com/lib.git//self?ref=v1", name: a}]
-- bare/component.yml --
resources: []
`

func mustLoadTree(t tb, text string) string {
	t.Helper()
	in, err := loadTree(tree(text), nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return described(t, in)
}

// TestComponents compares the resources of components with those that are written without components.
func TestComponents(t *testing.T) {
	const net = `
-- net/component.yaml --
vars: {cidr: {type: string}, zones: {type: list(string), default: [a]}}
locals: {slot: {a: 0, b: 1}}
resources:
  - {type: vpc, name: main, cidr: "${vars.cidr}"}
  - {type: subnet, name: app, for_each: "${vars.zones}", vpc: main, cidr: "${cidr.subnet(vars.cidr, 8, locals.slot[each.key])}"}
outputs:
  vpc: ${vpc/main}
  cidr: ${vars.cidr}
  subnets: ["${subnet/app}"]
`
	for name, c := range map[string]struct{ with, without string }{
		"names, references and outputs": {
			`-- ovi.yaml --
resources:
  - {use: net, name: x, vars: {cidr: 10.1.0.0/16, zones: [b, a]}}
  - {type: security_group, name: web, vpc: "${use/x.vpc}", description: "in ${use/x.cidr}"}
  - {type: ec2, name: web, size: t3.micro, subnet: x-app-a}
` + net,
			`-- ovi.yaml --
resources:
  - {type: vpc, name: x-main, cidr: 10.1.0.0/16}
  - {type: subnet, name: x-app-a, vpc: x-main, cidr: 10.1.0.0/24}
  - {type: subnet, name: x-app-b, vpc: x-main, cidr: 10.1.1.0/24}
  - {type: security_group, name: web, vpc: x-main, description: in 10.1.0.0/16}
  - {type: ec2, name: web, size: t3.micro, subnet: x-app-a}
`,
		},
		"for_each, when, depends_on, groups": {
			`-- ovi.yaml --
vars: {nets: {default: {a: 10.1.0.0/16, b: 10.2.0.0/16}}}
resources:
  - {use: ./net, name: net, for_each: "${vars.nets}", vars: {cidr: "${each.value}"}, depends_on: [first]}
  - {use: ./net, name: off, when: size(vars.nets) > 2}
  - {type: s3, name: first}
  - {type: s3, name: last, depends_on: [use/net]}
  - {type: s3, name: other, depends_on: [use/net-a]}
  - {type: s3, name: few, depends_on: [subnet/use/net, "use/off?"]}
  - {type: ec2, name: web, size: t3.micro, key_name: "${use/off.cidr?}", user_data: "${use/net-b.cidr}"}
` + net,
			`-- ovi.yaml --
resources:
  - {type: s3, name: first}
  - {type: vpc, name: net-a-main, cidr: 10.1.0.0/16, depends_on: [first]}
  - {type: vpc, name: net-b-main, cidr: 10.2.0.0/16, depends_on: [first]}
  - {type: subnet, name: net-a-app-a, vpc: net-a-main, cidr: 10.1.0.0/24, depends_on: [first]}
  - {type: subnet, name: net-b-app-a, vpc: net-b-main, cidr: 10.2.0.0/24, depends_on: [first]}
  - {type: s3, name: last, depends_on: [vpc/net-a-main, vpc/net-b-main, subnet/net-a-app-a, subnet/net-b-app-a]}
  - {type: s3, name: other, depends_on: [vpc/net-a-main, subnet/net-a-app-a]}
  - {type: s3, name: few, depends_on: [subnet/net-a-app-a, subnet/net-b-app-a]}
  - {type: ec2, name: web, size: t3.micro, user_data: 10.2.0.0/16}
`,
		},
		"names of the user, IDs, secrets, nested": {
			`-- ovi.yaml --
vars: {pw: {type: secret, default: "${env:DB_PASSWORD}"}}
resources:
  - {type: security_group, name: db}
  - {type: security_group, name: web, for_each: [x, "y"]}
  - {use: app, name: shop, vars: {groups: [web, sg-0123, db], pw: "${vars.pw}"}}
-- app/component.yaml --
vars: {groups: {type: list(ref(security_group))}, pw: {type: secret}, name: {type: "string?"}}
resources:
  - {use: ../db, name: orders, vars: {groups: "${vars.groups}", pw: "${vars.pw}", size: "${vars.name}"}}
  - {type: security_group, name: db, description: "${use/orders.about}"}
  - {type: s3, name: logs, depends_on: [use/orders, db]}
  - {type: ec2, size: t3.micro, security_groups: [use/orders, db]}
-- db/component.yaml --
vars: {groups: {type: list(ref(security_group))}, pw: {type: secret}, size: db.t3.micro}
resources:
  - {type: security_group, name: own}
  - {type: rds, name: db, size: "${vars.size}", password: "${vars.pw}", security_groups: "${vars.groups}"}
  - {type: rds, name: copy, size: "${vars.size}", security_groups: [own]}
outputs: {about: "at ${rds/db.size}"}
`,
			`-- ovi.yaml --
resources:
  - {type: security_group, name: db}
  - {type: security_group, name: web, for_each: [x, "y"]}
  - {type: security_group, name: shop-orders-own}
  - type: rds
    name: shop-orders-db
    size: db.t3.micro
    password: ${env:DB_PASSWORD}
    security_groups: [web-x, web-y, sg-0123, db]
  - {type: rds, name: shop-orders-copy, size: db.t3.micro, security_groups: [shop-orders-own]}
  - {type: security_group, name: shop-db, description: "at ${rds/shop-orders-db.size}"}
  - {type: s3, name: shop-logs, depends_on: [security_group/shop-orders-own, shop-orders-copy, shop-orders-db, shop-db]}
  - {type: ec2, name: shop-ec2, size: t3.micro, security_groups: [shop-orders-own, shop-db]}
`,
		},
		"location, count, index, tags": {
			`-- ovi.yaml --
defaults: {tags: {team: web}}
resources:
  - {use: web, name: w, for_each: [eu-west-1, us-east-2], location: "${each.key}", vars: {n: 2}}
-- web/component.yaml --
vars: {n: {type: int, min: 1, max: 3, check: vars.n != 3}}
resources:
  - {type: subnet, name: app}
  - {type: ec2, name: web, count: "${vars.n}", size: t3.micro, subnet: app, tags: {n: "${index}"}, key_name: "${file:key.txt}"}
public: ["file:key.txt"]
-- web/key.txt --
ops
`,
			`-- ovi.yaml --
defaults: {tags: {team: web}}
resources:
  - {type: subnet, name: w-eu-west-1-app, location: eu-west-1}
  - {type: subnet, name: w-us-east-2-app, location: us-east-2}
  - {type: ec2, name: w-eu-west-1-web, location: eu-west-1, count: 2, size: t3.micro, subnet: w-eu-west-1-app, tags: {n: "${index}"}, key_name: ops}
  - {type: ec2, name: w-us-east-2-web, location: us-east-2, count: 2, size: t3.micro, subnet: w-us-east-2-app, tags: {n: "${index}"}, key_name: ops}
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, want := mustLoadTree(t, c.with), mustLoadTree(t, c.without)
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestComponentsFromGit: a component from Git makes the resources that it makes as a folder, and the lock is in the
// version.
func TestComponentsFromGit(t *testing.T) {
	line := func(path, digit string) string {
		return "git+https://example.com/lib.git//" + path + " v1 " + strings.Repeat(digit, 40) + " sha256:" +
			strings.Repeat("ab", 32) + "\n"
	}
	use := func(folder string) string {
		return "-- ovi.yaml --\nresources: [{use: \"" + folder + "\", name: n, vars: {cidr: 10.0.0.0/16}}]\n"
	}
	locked := use("git+https://example.com/lib.git//net?ref=v1") + "-- ovi.lock --\novi.lock v1\n" + line("net", "1") +
		line("zones", "1")
	if got, want := mustLoadTree(t, locked), mustLoadTree(t, use("./net")+libInGit[1:]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	through := use("./here") + "-- here/component.yaml --\nvars: {cidr: {type: string}}\nresources: [{use: " +
		"\"git+https://example.com/lib.git//net?ref=v1\", name: m, vars: {cidr: \"${vars.cidr}\"}}]\n-- ovi.lock --\n" +
		"ovi.lock v1\n" + line("net", "1") + line("zones", "1")
	if got := mustLoadTree(t, through); !strings.Contains(got, "n-m-i-in") || !strings.Contains(got, "n-m-z-app") {
		t.Errorf("a folder that uses a component from Git: %s", got)
	}
	version := func(text string) string {
		in, err := loadTree(tree(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return in.Version
	}
	read := 0
	many := strings.ReplaceAll(locked, "name: n, vars", "name: n, for_each: [a, b, c, d], vars")
	if _, err := loadTree(tree(many), func(o *config.Options) {
		o.Git = func(l gitlock.Line) (fs.FS, error) { read++; return inGit(l) }
	}); err != nil || read != 2 {
		t.Errorf("the two folders are read %d times: %v", read, err)
	}
	if version(locked) == version(strings.ReplaceAll(locked, "sha256:ab", "sha256:cd")) {
		t.Error("the version does not have the digest of the lock")
	}
}

// TestComponentsAreInTheVersion changes the file of a component.
func TestComponentsAreInTheVersion(t *testing.T) {
	const text = `-- ovi.yaml --
resources: [{use: c, name: c}]
-- c/component.yaml --
resources: [{use: ../d, name: d}]
-- d/component.yaml --
resources: [{type: vpc, cidr: 10.0.0.0/16}]
`
	version := func(text string) string {
		in, err := loadTree(tree(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return in.Version
	}
	one := version(text)
	if one != version(text) || one == version(text+"# a comment\n") {
		t.Error("the version does not follow the files of the components")
	}
}

// TestWrongComponents compares the problems of components with a golden file.
func TestWrongComponents(t *testing.T) {
	b, err := os.ReadFile("testdata/components/bad.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cases := strings.Split(string(b), "\n=== ")[1:]
	for _, c := range cases {
		name, text, _ := strings.Cut(c, "\n")
		_, err := loadTree(tree(text), func(o *config.Options) {
			if strings.Contains(text, "\nenvironments:") {
				o.Environment = "dev"
			}
		})
		var problems source.Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: no problems, but %v", name, err)
			continue
		}
		for _, p := range problems {
			if p.At.File == "" || p.Suggestion == "" || strings.Contains(p.String(), fakeSecret) {
				t.Errorf("%s: a problem without a place or a suggestion, or with a secret: %+v", name, p)
			}
			if strings.Contains(p.At.File, "component.yaml") && p.At.Used == "" {
				t.Errorf("%s: a problem that does not name the use: %+v", name, p)
			}
		}
		fmt.Fprintf(&out, "=== %s\n%s\n\n", name, err)
	}
	if len(cases) < 50 {
		t.Errorf("only %d cases", len(cases))
	}
	golden(t, "testdata/components/bad.golden", out.String())
}

// TestComponentsStayInTheRepository uses folders of the operating system.
func TestComponentsStayInTheRepository(t *testing.T) {
	for name, c := range map[string]struct{ repository, use, link, want string }{
		"beside the configuration":      {"repo", "../lib", "", ""},
		"without a repository":          {"", "../lib", "", "is outside of the folder of the configuration"},
		"outside of the repository":     {"repo/conf", "../lib", "", "is outside of the repository"},
		"a link in the repository":      {"repo", "./link", "../lib", ""},
		"a link out of it":              {"repo/conf", "./link", "../lib", "leads out of the repository"},
		"a link to an absolute path":    {"repo", "./link", "/", "leads out of the repository"},
		"a folder through a link":       {"repo/conf", "./link/sub", "..", "leads out of the repository"},
		"a link that leads to nothing":  {"repo", "./link", "../no", "no such file"},
		"an absolute path":              {"repo", "/lib", "", "is absolute"},
		"a file":                        {"repo", "./ovi.yaml", "", "is a file"},
		"a link to itself":              {"repo", "./link", "link", "folder"},
		"a folder without its file":     {"repo", "..", "", "the folder has no component.yaml"},
		"the configuration as a folder": {"repo", ".", "", "has no component.yaml, but ovi.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, d := range []string{"repo/conf", "repo/lib/sub", filepath.Join(c.repository, ".git")} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil && c.repository != "" {
					t.Fatal(err)
				}
			}
			if c.repository == "" {
				if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
					t.Fatal(err)
				}
			}
			files := map[string]string{
				"repo/conf/ovi.yaml":      head + "resources: [{use: " + c.use + ", name: x}]\n",
				"repo/lib/component.yaml": "version: v1\nresources: [{type: vpc, cidr: 10.0.0.0/16}]\n",
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.link != "" {
				if err := os.Symlink(c.link, filepath.Join(dir, "repo/conf/link")); err != nil {
					t.Fatal(err)
				}
			}
			opts := options(nil)
			opts.Files = nil
			in, err := loadFrom(config.New([]string{filepath.Join(dir, "repo/conf/ovi.yaml")}, opts))
			switch {
			case c.want == "" && (err != nil || len(in.Resources) != 1):
				t.Errorf("%v %v", in.Resources, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestOrderOfUsesChangesNothing permutes blocks, also of components, and files.
func TestOrderOfUsesChangesNothing(t *testing.T) {
	top := []string{
		"  - {use: app, name: shop, vars: {net: \"${use/net-a.vpc}\", groups: [web], name: \"${use/net-b.cidr}\"}}\n",
		"  - {use: net, name: net, for_each: \"${vars.nets}\", vars: {cidr: \"${each.value}\", later: \"${use/zones.all}\"}}\n",
		"  - {use: zones, name: zones, depends_on: [security_group/web]}\n",
		"  - {type: security_group, name: web, for_each: [x, \"y\"], description: \"${use/zones.all.a}\"}\n",
		"  - {type: s3, name: logs, depends_on: [use/net, use/shop, \"use/none?\"]}\n",
		"moved: [{from: use/old, to: use/shop}, {from: vpc/main, to: vpc/net-a-main}]\n",
	}
	inner := []string{
		"  - {type: subnet, name: app, for_each: \"${use/ids.all}\", vpc: \"${vars.net}\", cidr: \"${vars.name}\"}\n",
		"  - {use: ../zones, name: ids}\n",
		"  - {type: ec2, name: web, size: t3.micro, subnet: app-a, security_groups: \"${vars.groups}\", depends_on: [use/ids]}\n",
		"  - {type: security_group, name: own}\n",
	}
	const others = `
-- net/component.yaml --
vars: {cidr: {type: string}, later: {type: object}}
resources: [{type: vpc, name: main, cidr: "${vars.cidr}", tags: "${vars.later}"}]
outputs: {vpc: "${vpc/main}", cidr: "${vars.cidr}"}
-- zones/component.yaml --
resources: [{type: s3, name: zone-ids}]
outputs: {all: {a: "1", b: "2"}}
`
	var want string
	rapid.Check(t, func(rt *rapid.T) {
		blocks := rapid.Permutation(top).Draw(rt, "blocks")
		// The blocks of two files are one stack.
		cut := rapid.IntRange(0, len(blocks)).Draw(rt, "files")
		files := tree("-- app/component.yaml --\n" +
			"vars: {net: {type: ref(vpc)}, groups: {type: list(ref(security_group))}, name: {type: string}}\nresources:\n" +
			strings.Join(rapid.Permutation(inner).Draw(rt, "inner"), "") + others)
		for i, part := range [][]string{blocks[:cut], blocks[cut:]} {
			var resources, rest string
			for _, b := range part {
				if strings.HasPrefix(b, "  -") {
					resources += b
				} else {
					rest += b
				}
			}
			if resources == "" {
				resources = "  []\n"
			}
			if i == 0 {
				rest += "vars: {nets: {default: {a: 10.1.0.0/16, b: 10.2.0.0/16}}}\nstack: s\n"
			}
			files[fmt.Sprintf("conf/%d.yaml", i)] = &fstest.MapFile{Data: []byte(head + rest + "resources:\n" + resources)}
		}
		for name, f := range files {
			if strings.HasSuffix(name, "component.yaml") {
				files["conf/"+name] = f
			}
		}
		in, err := loadFrom(config.New([]string{"conf"}, options(files)))
		if err != nil {
			rt.Fatalf("%v", err)
		}
		got := described(rt, in)
		if want == "" {
			want = got
		}
		if got != want || len(in.Resources) < 9 || len(in.Moved) < 5 {
			rt.Fatalf("%d resources, %d moves\n%s\nwant\n%s", len(in.Resources), len(in.Moved), got, want)
		}
	})
}

// FuzzComponent reads any bytes as a component that is used twice, once with a for_each.
func FuzzComponent(f *testing.F) {
	b, err := os.ReadFile("testdata/components/bad.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(b), "\n=== ")[1:] {
		if file, is := tree(c)["net/component.yaml"]; is {
			f.Add(file.Data)
		}
	}
	const uses = "resources:\n  - {use: net, name: n, vars: {cidr: 10.0.0.0/16}}\n" +
		"  - {use: ./net, name: m, for_each: [a, b], vars: {cidr: \"${use/n.vpc?}\"}, depends_on: [use/n]}\n"
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := loadTree(fstest.MapFS{
			"ovi.yaml": {Data: []byte(head + uses)}, "net/component.yaml": {Data: b},
		}, nil)
		var problems source.Problems
		if err != nil && (!errors.As(err, &problems) || len(problems) == 0 || in.Resources != nil) {
			t.Fatalf("neither an intent nor problems: %v, %v", in, err)
		}
		for _, p := range problems {
			if p.Summary == "" || strings.Contains(p.String(), fakeSecret) {
				t.Fatalf("a bad problem: %+v", p)
			}
		}
		for _, r := range in.Resources {
			if !strings.HasPrefix(r.Ref.Name, "n-") && !strings.HasPrefix(r.Ref.Name, "m-") {
				t.Fatalf("%s is not a resource of a component", r.Ref)
			}
		}
	})
}

// TestOutputsHaveTheTypesOfTheirValues: references stay, and an optional one without a resource omits its value.
func TestOutputsHaveTheTypesOfTheirValues(t *testing.T) {
	t.Parallel()
	in, err := loadTree(tree(`
-- ovi.yaml --
vars: {ports: [80, 443], zone: a}
resources:
  - {type: vpc, name: main, cidr: 10.0.0.0/16}
  - {type: ec2, name: web.1, size: t3.micro}
  - {use: ./c, name: one}
  - {type: s3, name: "log-${each.key}", group: logs, for_each: [a, b]}
  - {type: s3, name: small, when: ref('use/one.n') > 1 && 'b' in ref('use/one.names')}
outputs:
  logs: ["${s3/logs}", last]
  computed: ${ref('use/one.n') + 1}
  key: ${ref('use/one.map').a}
  ports: ${vars.ports}
  first: ${vars.ports[0]}
  text: zone ${vars.zone}
  vpc: ${vpc/main}
  dotted: ${ec2/web.1.size}
  joined: "x ${vpc/main.cidr} y"
  used: ${use/one.cidr}
  none: ${s3/none?}
  list: ["${s3/none?}", "${vpc/main}", 1.5, true, "yes"]
  map: {a: "${s3/none?}", "b c": {d: "$${x}"}}
  "null": "${vars.zone == 'b' ? 1 : null}"
-- c/component.yaml --
resources: [{type: vpc, name: main, cidr: 10.1.0.0/16}]
outputs: {cidr: "${vpc/main.cidr}", n: 2, names: [a, b], map: {a: x}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	const ref = `{"$ref":"test:aws/us-east-1/`
	want := `{"computed":3,"dotted":` + ref + `ec2/web.1","path":"size"},"first":80,"joined":{"$text":["x ",` + ref +
		`vpc/main","path":"cidr"}," y"]},"key":"x","list":[` + ref + `vpc/main"},1.5,true,"yes"],"logs":[` + ref + `s3/log-a"},` + ref + `s3/log-b"},"last"],"map":{"b c":{"d":"${x}"}},"ports":[80,443],` +
		`"text":"zone a","used":` + ref + `vpc/one-main","path":"cidr"},"vpc":` + ref + `vpc/main"}}`
	if got := string(in.Outputs.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
