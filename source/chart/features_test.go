package chart_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
)

const head = "-- Chart.yaml --\nname: shop\nversion: 1.2.3\n"

// container is a manifest with an expression as the value of a variable.
func container(name, v string) string {
	return "---\napiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: " + name +
		"}\nspec: {image: \"localhost/a:1\", workingDir: /, args: [" + v + "]}\n"
}

func value(t *testing.T, in resource.Intent, name string) string {
	t.Helper()
	v, _ := find(t, in, "container", name).Attrs.Get("args")
	return string(v.(resource.List)[0].(resource.String))
}

func TestTheLastValueWins(t *testing.T) {
	text := head + "-- values.yaml --\nimage: {name: web, tag: \"1\", list: [1, 2]}\nother: x\n-- prod.yaml --\n" +
		"image: {tag: \"2\"}\nother: null\n-- more.yaml --\nimage: {registry: localhost}\n" +
		"-- templates/web.yaml --\n" + container("web",
		`"{{ .Values.image.registry }}/{{ .Values.image.name }}:{{ .Values.image.tag }}-{{ .Values.image.list | join "." }}-{{ hasKey .Values "other" }}"`)
	for _, c := range []struct {
		values, set []string
		want        string
	}{
		{[]string{"c/more.yaml"}, nil, "localhost/web:1-1.2-true"},
		{[]string{"c/more.yaml", "c/prod.yaml"}, nil, "localhost/web:2-1.2-false"},
		{
			[]string{"c/more.yaml", "c/prod.yaml"},
			[]string{"image.tag=3", "image.list[1]=x", "image.list[2]=y"},
			"localhost/web:3-1.x.y-false",
		},
		{
			[]string{"c/more.yaml"},
			[]string{"image.list=[7, 8]", "image.tag=1.10", "other=null"},
			"localhost/web:1.10-7.8-false",
		},
		{nil, []string{"image.registry=a=b"}, "a=b/web:1-1.2-true"},
	} {
		opts := options(files(text))
		opts.Values, opts.Set = c.values, c.set
		if got := value(t, mustLoad(t, opts), "web"); got != c.want {
			t.Errorf("%v %v: %s, not %s", c.values, c.set, got, c.want)
		}
	}
}

func TestSetReadsTypes(t *testing.T) {
	text := head + "-- templates/web.yaml --\n" + container("web", `"{{ kindOf .Values.v }}={{ .Values.v }}"`)
	for set, want := range map[string]string{
		"v=1": "int=1", "v=true": "bool=true", "v=0.5": "float64=0.5", "v=007": "string=007", "v=1.10": "string=1.10",
		"v=1e3":  "string=1e3",
		"v=a: b": "string=a: b", "v={a: 1}": "map=map[a:1]", `v\.w=1`: "", "v=-3": "int=-3", "v=yes": "string=yes",
	} {
		opts := options(files(text))
		opts.Set = []string{set}
		if want == "" {
			opts.Set = append(opts.Set, "v=x")
			want = "string=x"
		}
		if got := value(t, mustLoad(t, opts), "web"); got != want {
			t.Errorf("--set %q gives %s, not %s", set, got, want)
		}
	}
}

// TestANamespaceIsAPrefix: names on the host start with it; references follow, and messages do
// not show it.
func TestANamespaceIsAPrefix(t *testing.T) {
	opts := options(files(shop))
	opts.Namespace = "dev"
	in := mustLoad(t, opts)
	if in.Stack != "dev.shop" {
		t.Errorf("the stack is %s", in.Stack)
	}
	web := find(t, in, "container", "dev-web")
	if diff := cmp.Diff([]resource.Ref{
		ref("container", "dev-db").In("dev.shop"),
		ref("network", "dev-back").In("dev.shop"),
	}, web.DependsOn); diff != "" {
		t.Errorf("dependencies:\n%s", diff)
	}
	for name, want := range map[string]string{
		"networks":        `[{"$ref":"dev.shop:podman/default/network/dev-back"}]`,
		"network_aliases": `["web"]`,
	} {
		if v, _ := web.Attrs.Get(name); shown(v) != want {
			t.Errorf("%s is %s, not %s", name, shown(v), want)
		}
	}
	if env, _ := web.Attrs.Get("env"); !strings.Contains(shown(env), "tcp://db:5432/") {
		t.Errorf("env is %s", shown(env))
	}
	plain := mustLoad(t, options(files(shop)))
	for i, d := range in.Resources {
		if p := plain.Resources[i]; d.Ref.Name != "dev-"+p.Ref.Name || d.Ref.Kind != p.Ref.Kind {
			t.Errorf("%s is %s without a namespace", d.Ref, p.Ref)
		}
	}
	if plain.Version == in.Version {
		t.Error("the version does not depend on the namespace")
	}
	broken := files(strings.Replace(shop, "networks: [back]", "networks: [backs]", 1))
	opts.Files = broken
	if _, err := load(opts); err == nil || strings.Contains(err.Error(), "dev-") || !strings.Contains(err.Error(),
		"use back") {
		t.Errorf("the message is %v", err)
	}
	for _, namespace := range []string{"Dev", "a.b", "-a", strings.Repeat("a", 54)} {
		opts.Namespace = namespace
		if _, err := load(opts); err == nil || !strings.Contains(err.Error(), "invalid namespace") {
			t.Errorf("namespace %q: %v", namespace, err)
		}
	}
}

func TestAReleaseIsKnownToItsTemplates(t *testing.T) {
	opts := options(files(head + "-- templates/web.yaml --\n" + container("web",
		`"{{ .Release.Name }}-{{ .Release.Namespace }}-{{ .Chart.Name }}-{{ .Chart.Version }}"`)))
	opts.Namespace = "dev"
	if got := value(t, mustLoad(t, opts), "dev-web"); got != "shop-dev-shop-1.2.3" {
		t.Error(got)
	}
}

// TestLaw1_AbsenceNeedsACompleteRead_OfAChart: a chart of which a folder or file vanished or
// cannot be read is an error, and never an empty stack.
func TestLaw1_AbsenceNeedsACompleteRead_OfAChart(t *testing.T) {
	write := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "shop")
		for name, f := range files(shop) {
			write(t, filepath.Join(dir, strings.TrimPrefix(name, "c/")), string(f.Data))
		}
		return dir
	}
	for what, remove := range map[string]func(dir string) error{
		"the chart":         os.RemoveAll,
		"its Chart.yaml":    func(dir string) error { return os.Remove(filepath.Join(dir, "Chart.yaml")) },
		"its templates":     func(dir string) error { return os.RemoveAll(filepath.Join(dir, "templates")) },
		"all its manifests": func(dir string) error { return emptied(filepath.Join(dir, "templates")) },
		"a values file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "values.yaml"), []byte("a: [\n"), 0o600)
		},
		"a link": func(dir string) error {
			return os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "templates", "x.yaml"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := write(t)
			opts := options(nil)
			if _, err := source.Load(context.Background(), chart.New([]string{dir}, opts)); err != nil {
				t.Fatal(err)
			}
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			drafts, err := chart.New([]string{dir}, opts).Load(context.Background())
			if err != nil {
				return
			}
			if in, problems := source.Resolve(drafts); len(problems) == 0 {
				t.Errorf("no error: %d resources", len(in[0].Resources))
			}
			drafts, _ = chart.New([]string{dir}, opts).Load(context.Background())
			if in, _ := source.ResolveValid(drafts); len(in) > 0 {
				t.Errorf("the part that was read can be used: %d resources", len(in[0].Resources))
			}
		})
	}
}

func emptied(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		if err == nil {
			err = os.Remove(name)
		}
	}
	return err
}

// TestAnInvalidResourceCostsItsDependents: the rest can be used, and is marked as a part.
func TestAnInvalidResourceCostsItsDependents(t *testing.T) {
	uses := func(name, spec string) string {
		return strings.Replace(container(name, "localhost/a:1"), "spec: {", "spec: {"+spec+", ", 1)
	}
	text := head + "-- templates/a.yaml --\n" + uses("bad", "restartPolicy: 7") + uses("onbad",
		`env: {A: "${container/bad}"}`) + uses("onthat", `env: {A: "${container/onbad}"}`) +
		uses("noref", "networks: [nowhere]") + uses("onnoref", `env: {A: "${container/noref}"}`) + container("good",
		"localhost/a:1") + uses("twin", "networks: [nowhere]")
	drafts, err := chart.New([]string{"c"}, options(files(text))).Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	intents, problems := source.ResolveValid(drafts)
	if len(intents) != 1 || !intents[0].Partial || len(intents[0].Resources) != 1 ||
		intents[0].Resources[0].Ref.Name != "good" {
		t.Fatalf("intents: %+v", intents)
	}
	got := map[string]string{}
	for _, p := range problems {
		got[p.Ref] = p.Cause.String()
	}
	want := map[string]string{
		"container/bad": "validation", "container/onbad": "dependency", "container/onthat": "dependency",
		"container/noref":   "dependency",
		"container/onnoref": "dependency", "container/twin": "dependency",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	for _, whole := range []string{
		"x: [", container("good", "localhost/b:1"), uses("x", `env: {A: "${container/x}"}`),
		"apiVersion: v1\nkind: Pod\n",
	} {
		drafts, err := chart.New([]string{"c"}, options(files(text+"---\n"+whole))).Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if intents, problems := source.ResolveValid(drafts); len(intents) > 0 || !slices.ContainsFunc(problems,
			func(p source.Problem) bool { return p.Cause == source.Configuration }) {
			t.Errorf("%q: %d intents, %v", whole, len(intents), problems)
		}
	}
}

// TestRenderingIsPure: nothing but the files and the values is in what a chart gives.
func TestRenderingIsPure(t *testing.T) {
	t.Setenv("SECRET_OF_THE_HOST", fakeSecret)
	for _, expression := range []string{
		`{{ env "SECRET_OF_THE_HOST" }}`, `{{ expandenv "$SECRET_OF_THE_HOST" }}`, `{{ now | unixEpoch }}`,
		`{{ randAlpha 5 }}`, `{{ uuidv4 }}`,
		`{{ getHostByName "localhost" }}`, `{{ genPrivateKey "rsa" }}`, `{{ bcrypt "a" }}`, `{{ shuffle "abc" }}`,
		`{{ date "2006" "2026-01-01" }}`, `{{ randInt 1 5 }}`,
	} {
		_, err := load(options(files(head + "-- templates/web.yaml --\n" + container("web", "'"+expression+"'"))))
		if err == nil || !strings.Contains(err.Error(), "is not available: rendering a chart gives the same text each time") {
			t.Errorf("%s: %v", expression, err)
		}
	}
	text := head + "-- values.yaml --\nm: {z: 1, y: 2, x: 3, w: 4, v: 5, u: 6}\n-- templates/web.yaml --\n" +
		container("web", `'{{ keys .Values.m | join "" }}{{ values .Values.m | join "" }}{{ toJson .Values.m }}{{ $_ := set .Values "m" dict }}'`) +
		"-- templates/zweb.yaml --\n" + container("web2", `'{{ keys .Values.m | join "" }}'`)
	for range 20 {
		in := mustLoad(t, options(files(text)))
		if got, want := value(t, in, "web"), `uvwxyz654321{"u":6,"v":5,"w":4,"x":3,"y":2,"z":1}`; got != want {
			t.Fatalf("%s, not %s", got, want)
		}
		if got := value(t, in, "web2"); got != "uvwxyz" {
			t.Fatalf("one template changes the values of another: %s", got)
		}
	}
}

// TestPositionsAreThoseOfTheTemplate: wherever a value is in a template, and whatever is printed
// above it, its problem is there.
func TestPositionsAreThoseOfTheTemplate(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		var body strings.Builder
		fill := rapid.SampledFrom([]string{
			"# ü comment\n", "{{/* comment\n over lines */}}\n", "{{ range until 3 }}# {{ . }}\n{{ end }}",
			"{{- if true }}\n# x\n{{- end }}\n",
			"{{ $x := 1 }}", "{{ include \"two\" . }}\n", "{{ template \"two\" . }}\n", "\n", "{{ \"# a\\n# b\" }}\n",
		})
		for range rapid.IntRange(0, 6).Draw(t, "above") {
			body.WriteString(fill.Draw(t, "fill"))
		}
		body.WriteString("---\napiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: web}\nspec:\n")
		for range rapid.IntRange(0, 3).Draw(t, "between") {
			body.WriteString(fill.Draw(t, "fill"))
		}
		bad := rapid.SampledFrom([]string{
			"  image: [ü, {{ 1 }}]", "  image: {{ list 1 | toJson }}",
			"  image: {a: \"{{ 1 }}\"}",
		}).Draw(t, "bad")
		line := strings.Count(body.String(), "\n") + 1
		body.WriteString(bad + "\n")
		files := fstest.MapFS{
			"c/Chart.yaml":           {Data: []byte("name: shop\nversion: 1\n")},
			"c/templates/_two.tpl":   {Data: []byte("{{ define \"two\" }}# 1\n# 2{{ end }}")},
			"c/templates/a/web.yaml": {Data: []byte(body.String())},
		}
		_, err := load(options(files))
		if err == nil {
			t.Fatalf("no problem in:\n%s", body.String())
		}
		if want := fmt.Sprintf("at c/templates/a/web.yaml:%d:", line); !strings.Contains(err.Error(), want) {
			t.Fatalf("not %s but\n%v\nin:\n%s", want, err, body.String())
		}
	})
}

func TestPlainManifestsAreReadAsTheyAre(t *testing.T) {
	text := container("web", "'{{ not a template }}'")
	all := fstest.MapFS{
		"m/The Shop/a.yaml": {Data: []byte(text)},
		"m/The Shop/b.yml":  {Data: []byte(container("b", "localhost/b:1"))}, "m/The Shop/x/c.yaml": {Data: []byte("x")},
		"m/The Shop/.d.yaml": {Data: []byte("x")},
	}
	for want, paths := range map[int][]string{2: {"m/The Shop"}, 1: {"m/The Shop/a.yaml"}} {
		intents, err := source.Load(context.Background(), chart.New(paths, options(all)))
		if err != nil {
			t.Fatal(err)
		}
		if in := intents[0]; in.Stack != "the-shop" || len(in.Resources) != want || value(t, in,
			"web") != "{{ not a template }}" {
			t.Errorf("%v: stack %s, %d resources", paths, in.Stack, len(in.Resources))
		}
	}
	for _, text := range []string{"apiVersion: cutepod/v1alpha0\nkind: x\n", "# a\n---\napiVersion: \"cutepod/v2\"\n"} {
		if !chart.IsManifest(text) {
			t.Errorf("no manifest: %q", text)
		}
	}
	for _, text := range []string{"version: v1\n", "apiVersion: v1\n", "  apiVersion: cutepod/v1alpha0\n"} {
		if chart.IsManifest(text) {
			t.Errorf("a manifest: %q", text)
		}
	}
}

// TestEveryFieldOfEveryKindIsRead: a manifest can set every attribute that can be set, by its
// name in camel case.
func TestEveryFieldOfEveryKindIsRead(t *testing.T) {
	in := mustLoad(t, options(os.DirFS("testdata/every")))
	other := []string{
		"container.volumes.container_path", "volume.volume", "volume.volume.driver",
		"volume.volume.options",
	} // other ways to set another
	for _, k := range options(nil).Schemas.Kinds("") {
		set := map[string]bool{}
		for _, d := range in.Resources {
			if d.Ref.Kind == k.Name {
				paths(set, "", d.Attrs)
			}
		}
		for _, want := range slices.Sorted(maps.Keys(settable("", k.Attrs))) {
			if !set[want] && !slices.Contains(other, k.Name+"."+want) {
				t.Errorf("%s.%s is not in testdata/every", k.Name, want)
			}
		}
	}
}

func paths(into map[string]bool, prefix string, v resource.Value) {
	switch v := v.(type) {
	case resource.Attrs:
		for _, a := range v {
			into[prefix+a.Name] = true
			paths(into, prefix+a.Name+".", a.Value)
		}
	case resource.List:
		for i := range v {
			paths(into, prefix, v[i])
		}
	}
}

func settable(prefix string, attrs []resource.Attribute) map[string]bool {
	out := map[string]bool{}
	for _, a := range attrs {
		if a.Computed {
			continue
		}
		out[prefix+a.Name] = true
		fields := a.Fields
		if a.Elem != nil {
			fields = append(slices.Clone(fields), a.Elem.Fields...)
		}
		maps.Copy(out, settable(prefix+a.Name+".", fields))
	}
	return out
}

// TestAChartIsPrunedByTheLoop: unless its rules forbid it.
func TestAChartIsPrunedByTheLoop(t *testing.T) {
	for rules, want := range map[string]bool{
		"": true, "rules: {destroy: auto}\n": true,
		"rules: {destroy: manual}\n": false,
	} {
		in := mustLoad(t, options(files("-- Chart.yaml --\nname: shop\nversion: 1.2.3\n"+rules+"-- templates/a.yaml --\n"+
			container("a", "b"))))
		if in.Rules.DestroyAuto != want {
			t.Errorf("%q: %v", rules, in.Rules.DestroyAuto)
		}
	}
	for rules, want := range map[string]string{
		"rules: {destroy: never}": `invalid destroy "never"`,
		"rules: {max_destroy: 1}": "the rules of a chart are destroy alone", "rules: x": "the rules of a chart",
	} {
		if _, err := load(options(files("-- Chart.yaml --\nname: shop\nversion: 1.2.3\n" + rules +
			"\n-- templates/a.yaml --\n" + container("a", "b")))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rules, err)
		}
	}
}
