package chart_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
)

// TestABadTemplateStaysWithIt asserts which resources of a chart remain, and which templates are unread: also templates
// that use a broken helper.
func TestABadTemplateStaysWithIt(t *testing.T) {
	t.Parallel()
	head := "apiVersion: cutepod/v1alpha0\nkind: CuteNetwork\nmetadata: {name: "
	for name, c := range map[string]struct {
		file, text string
		left       []string
		parts      []string
		whole      bool
	}{
		"a syntax error":     {"c/templates/b.yaml", "{{ if }}\n", []string{"a", "h"}, []string{"templates/b.yaml"}, false},
		"an unknown value":   {"c/templates/b.yaml", head + "{{ .Values.nope }}}\n", []string{"a", "h"}, []string{"templates/b.yaml"}, false},
		"an unknown field":   {"c/templates/b.yaml", head + "b}\nspec: {color: red}\n", []string{"a", "h"}, []string{"templates/b.yaml"}, false},
		"a broken helper":    {"c/templates/_h.tpl", "{{ define \"h\" }}{{ if }}{{ end }}\n", []string{"a", "b"}, []string{"templates/_h.tpl", "templates/h.yaml"}, false},
		"the values":         {"c/values.yaml", "a: [\n", nil, nil, true},
		"a duplicate name":   {"c/templates/0.yaml", head + "b}\n", []string{"a", "h"}, []string{"templates/0.yaml", "templates/b.yaml"}, false},
		"a missing resource": {"c/templates/b.yaml", "", []string{"a", "h"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for f, text := range map[string]string{
				"c/Chart.yaml": "name: c\nversion: 1.0.0\n", "c/values.yaml": "a: 1\n", "c/templates/a.yaml": head + "a}\n",
				"c/templates/b.yaml": head + "b}\n", "c/templates/_h.tpl": "{{ define \"h\" }}h{{ end }}\n",
				"c/templates/h.yaml": head + "{{ include \"h\" . }}}\n",
			} {
				files[f] = &fstest.MapFile{Data: []byte(text)}
			}
			files[c.file] = &fstest.MapFile{Data: []byte(c.text)}
			drafts, err := chart.New([]string{"c"}, options(files)).Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			intents, problems := source.Accept(drafts)
			if len(intents) != 1 {
				t.Fatalf("%d intents, %v", len(intents), problems)
			}
			in := intents[0]
			var left, parts []string
			for _, d := range in.Resources {
				left = append(left, d.Ref.Name)
			}
			for _, p := range in.Parts {
				parts = append(parts, p.Name)
			}
			if diff := cmp.Diff([][]string{c.left, c.parts}, [][]string{left, parts}); diff != "" || (in.Unread != "") != c.whole {
				t.Errorf("%q %v (-want +got):\n%s", in.Unread, problems, diff)
			}
		})
	}
}
