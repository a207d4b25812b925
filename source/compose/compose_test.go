package compose_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/compose"
	"github.com/ovi-project/ovi/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// kinds are the schemas of charts.
type kinds []resource.Kind

func (s kinds) Kind(provider, kind string) (resource.Kind, bool) {
	i := slices.IndexFunc(s, func(k resource.Kind) bool { return k.Provider == provider && k.Name == kind })
	if i < 0 {
		return resource.Kind{}, false
	}
	return s[i], true
}
func (s kinds) Kinds(string) []resource.Kind { return s }
func (s kinds) Providers() []string          { return []string{podman.Name} }

func options() chart.Options {
	return chart.Options{
		Provider: podman.Name, Env: func(name string) (string, bool) { return "of the host", true },
		Options: source.Options{Schemas: kinds(podman.Kinds()), Secrets: sourcetest.Secrets{}},
	}
}

// TestAComposeFileBecomesAChart: what is imported is in the golden file, with what is not; and it
// is a chart without problems.
func TestAComposeFileBecomesAChart(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range a.Files {
				write(t, filepath.Join(dir, f.Name), f.Data)
			}
			into := filepath.Join(dir, "out")
			got, err := compose.Import(compose.Input{
				Name: "compose.yaml", Text: read(t, filepath.Join(dir, "compose.yaml")), Env: read(t, filepath.Join(dir, ".env")),
				Dir: dir, Into: into, IsFile: func(p string) bool { info, err := os.Stat(p); return err == nil && !info.IsDir() },
			})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(name, ".txtar")+".golden", strings.ReplaceAll(shown(got), dir, "/home/blog"))
			for file, text := range got.Files {
				write(t, filepath.Join(into, file), []byte(text))
			}
			opts := options()
			opts.Set = []string{"API_KEY=x"}
			if _, err := source.Load(context.Background(), chart.New([]string{into}, opts)); err != nil {
				t.Errorf("the chart has problems:\n%v", err)
			}
		})
	}
}

// shown is a chart as an archive, its notes above it.
func shown(c compose.Chart) string {
	a := &txtar.Archive{}
	for _, n := range c.Notes {
		a.Comment = append(a.Comment, n.String()+"\n"...)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(c.Files[name])})
	}
	return string(txtar.Format(a))
}

func TestWhatComposeWouldRefuseIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                  "the file has no document",
		"services: [a\n":                                    "missing ] of a list",
		"a: 1":                                              "the file has no services",
		"services: {a: 1}":                                  `the service "a" must be a block of keys`,
		"services: {a: {image: [x]}}":                       "a string was expected, got a list",
		"services: {a: {ports: [x]}}":                       `invalid port "x"`,
		"services: {a: {ports: [1-3:1-2]}}":                 `invalid port "1-3:1-2"`,
		"services: {a: {ports: [\"70000:1\"]}}":             `invalid port "70000:1"`,
		"services: {a: {volumes: [data:/data]}}":            `unknown volume "data"`,
		"services: {a: {networks: [back]}}":                 `unknown network "back"`,
		"services: {a: {secrets: [pw]}}":                    `unknown secret "pw"`,
		"services: {a: {mem_limit: lots}}":                  `invalid amount of memory "lots"`,
		"services: {a: {healthcheck: {interval: 5}}}":       `invalid duration "5"`,
		"services: {a: {healthcheck: {test: [true]}}}":      "a test starts with CMD",
		`services: {"../a": {image: a}}`:                    `invalid name of a service: "../a"`,
		`services: {"{{ .Files }}": {image: a}}`:            `invalid name of a service`,
		`{services: {}, networks: {"../n": {}}}`:            `invalid name of a network: "../n"`,
		`{services: {}, volumes: {"a/b": {}}}`:              `invalid name of a volume: "a/b"`,
		`{services: {}, secrets: {".": {file: x}}}`:         `invalid name of a secret: "."`,
		`{services: {}, secrets: {a: {file: "x} ${b"}}}`:    `cannot be read`,
		`services: {a: {depends_on: ["{{ fail }}"]}}`:       `unknown service`,
		`services: {a: {environment: {"A B": x}}}`:          `invalid name of an environment variable "A B"`,
		`services: {a: {healthcheck: {retries: "3\n---"}}}`: `is not a number`,
		`services: {a: {ports: [{target: "80\n---"}]}}`:     `is not a number`,
		"services: {}\nsecrets: {pw: {external: false}}":    `the secret "pw" has no value`,
	} {
		_, err := compose.Import(compose.Input{Name: "compose.yaml", Text: text, Dir: "/x", Into: "/x/out"})
		var problems source.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", text, err, want)
			continue
		}
		for _, p := range problems {
			if p.At.Line == 0 || p.Suggestion == "" {
				t.Errorf("%s: without a position or a suggestion: %+v", text, p)
			}
		}
	}
}

// TestAnExternalVolumeIsMissedWhereItIsMounted: a service without its mount would lose data.
func TestAnExternalVolumeIsMissedWhereItIsMounted(t *testing.T) {
	c, err := compose.Import(compose.Input{
		Name: "compose.yaml",
		Text: "services: {web: {image: a:1, volumes: [data:/data:ro]}}\nvolumes: {data: {external: true}}\n", Dir: "/x",
		Into: "/x/out",
	})
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, n := range c.Notes {
		notes = append(notes, n.What)
	}
	want := []string{"the external volume data is not mounted at /data", "volumes.data.external"}
	slices.Sort(notes)
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// FuzzImport: any file is a chart or has problems, and never panics; a chart can be loaded, or
// has problems with positions.
func FuzzImport(f *testing.F) {
	a, err := txtar.ParseFile("testdata/blog.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		if file.Name == "compose.yaml" {
			f.Add(string(file.Data), "A=1")
		}
	}
	f.Add("services: {a: {image: \"${X:-{{}\", command: 'a \"b', ports: [\"1-2:3-4\"], mem_limit: 1.5g}}", "")
	f.Fuzz(func(t *testing.T, text, env string) {
		c, err := compose.Import(compose.Input{Name: "compose.yaml", Text: text, Env: env, Dir: "/x", Into: "/x/out"})
		if err != nil {
			return
		}
		if c.Files["Chart.yaml"] == "" {
			t.Fatal("no Chart.yaml")
		}
		again, _ := compose.Import(compose.Input{Name: "compose.yaml", Text: text, Env: env, Dir: "/x", Into: "/x/out"})
		if diff := cmp.Diff(c, again); diff != "" {
			t.Fatalf("two imports differ:\n%s", diff)
		}
	})
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(want, []byte(got)) {
		t.Errorf("%s is stale (run with -update and review the difference): %v\n%s", name, err, cmp.Diff(string(want), got))
	}
}
