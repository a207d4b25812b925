package chart_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// FuzzChart reads any template with any values: an intent or problems with positions come of
// them, the same each time, and never a panic.
func FuzzChart(f *testing.F) {
	f.Add(shop, "a: 1", "a.b=1")
	names, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		all := archive(a)
		for file, data := range all {
			if strings.Contains(file, "templates/") && all["c/values.yaml"] != nil {
				f.Add(string(data.Data), string(all["c/values.yaml"].Data), "a=1")
			} else if strings.Contains(file, "templates/") {
				f.Add(string(data.Data), "", "a[0]=x")
			}
		}
	}
	f.Fuzz(func(t *testing.T, template, values, set string) {
		files := fstest.MapFS{
			"c/Chart.yaml":           {Data: []byte("name: shop\nversion: 1.2.3\n")},
			"c/values.yaml":          {Data: []byte(values)},
			"c/templates/a.yaml":     {Data: []byte(template)},
			"c/templates/b.yaml":     {Data: []byte(container("b", "x"))},
			"c/templates/_names.tpl": {Data: []byte(`{{ define "image" }}localhost/a:1{{ end }}`)},
		}
		opts := options(files)
		opts.Set = []string{set}
		in, err := load(opts)
		var problems source.Problems
		if err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
			t.Fatalf("neither an intent nor problems: %v, %v", in, err)
		}
		for _, p := range problems {
			lines := 0
			if f := files[p.At.File]; f != nil {
				lines = strings.Count(string(f.Data), "\n") + 1
			}
			if p.Summary == "" || p.At.Line > lines {
				t.Fatalf("a bad problem: %+v", p)
			}
		}
		again, err2 := load(opts)
		if diff := cmp.Diff(in, again,
			cmp.AllowUnexported(resource.Secret{})); diff != "" || (err == nil) != (err2 == nil) || err != nil &&
			err.Error() != err2.Error() {
			t.Fatalf("two loads differ: %s\n%v\n%v", diff, err, err2)
		}
	})
}
