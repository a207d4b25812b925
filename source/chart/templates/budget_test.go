package templates

import (
	"os"
	"path/filepath"
	"testing"
	"text/template"

	"github.com/ovi-project/ovi/source/chart/page"
)

// BenchmarkRender parses and renders the chart in examples/shop with its budget, and without it, in turns: then no
// function and no value is measured, and no round of a loop counts.
func BenchmarkRender(b *testing.B) {
	names, err := filepath.Glob("../../../examples/shop/templates/*")
	if err != nil || len(names) == 0 {
		b.Fatal(names, err)
	}
	var files []*page.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, &page.File{Name: name, Text: string(text)})
	}
	data := map[string]any{
		"Values": map[string]any{
			"image": map[string]any{"repository": "localhost/shop", "tag": "1"}, "web": map[string]any{"port": 18080},
			"worker": map[string]any{"seconds": 5}, "secrets": map[string]any{"db": "ZXhhbXBsZQ==", "api": "ZXhhbXBsZQ=="},
		},
		"Release": map[string]any{"Name": "shop", "Namespace": "shop"}, "Chart": map[string]any{"Name": "shop", "Version": "0.1.0"},
	}
	run := func(free bool) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				t, done := New(b.Context())
				t.free = free
				t.ParseAll(files, func(f *page.File, err error) { b.Fatal(f.Name, err) })
				if free {
					t.root.Funcs(template.FuncMap{
						stepFunc: func(int) string { return "" }, enterFunc: func(int) string { return "" }, leaveFunc: func(int) string { return "" },
						markFunc: func(n int) string { t.out.Now = t.marks[n]; return "" },
						outFunc:  func(n int, v any) any { t.out.Now = t.marks[n]; return v },
					})
				}
				for _, f := range files {
					if _, err := t.Render(f, data); IsRendered(f.Name) && err != nil {
						b.Fatal(err)
					}
				}
				done()
			}
		}
	}
	for range 5 { // in turns: the load of the host changes
		b.Run("with", run(false))
		b.Run("without", run(true))
	}
}

// TestAFunctionIsFoundWhereverItIsCalled: those that a template calls are guarded, in each kind of node, and the others do
// not exist when it is rendered.
func TestAFunctionIsFoundWhereverItIsCalled(t *testing.T) {
	for name, text := range map[string]string{
		"an action":         `{{upper "x"}}`,
		"a pipe":            `{{"x" | upper}}`,
		"an argument":       `{{print (upper "x")}}`,
		"a field of a call": `{{(dict "a" (upper "x")).a}}`,
		"a variable":        `{{$a := upper "x"}}{{$a}}`,
		"a condition":       `{{if eq (upper "x") "X"}}X{{end}}`,
		"a branch":          `{{if true}}{{upper "x"}}{{end}}`,
		"an else":           `{{if false}}{{else if eq (upper "x") "X"}}X{{end}}`,
		"a loop":            `{{range list (upper "x")}}{{.}}{{end}}`,
		"inside a loop":     `{{range list "x"}}{{upper .}}{{else}}{{lower .}}{{end}}`,
		"with":              `{{with upper "x"}}{{.}}{{end}}`,
		"inside with":       `{{with "x"}}{{. | upper}}{{else with "y"}}{{lower .}}{{end}}`,
		"a template":        `{{define "a"}}{{upper .}}{{end}}{{template "a" "x"}}`,
		"of a template":     `{{define "a"}}{{.}}{{end}}{{template "a" (upper "x")}}`,
		"include":           `{{define "a"}}{{upper .}}{{end}}{{include "a" "x"}}`,
		"a block":           `{{block "a" (upper "x")}}{{.}}{{end}}`,
		"formatted":         `{{printf "%s" (upper "x")}}`,
	} {
		s, done := New(t.Context())
		f := &page.File{Name: "x.yaml", Text: text}
		s.ParseAll([]*page.File{f}, func(_ *page.File, err error) { t.Fatal(name, err) })
		got, err := s.Render(f, map[string]any{})
		if err != nil || got.Body != "X" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		done()
	}
}
