package chart_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// fanout is a chain of templates of which each includes the next one twice.
func fanout() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "{{define \"a%d\"}}{{include \"a%d\" .}}{{include \"a%d\" .}}{{end}}\n", i, i+1, i+1)
	}
	return b.String() + `{{define "a40"}}x{{end}}{{include "a0" .}}`
}

// bombs are templates of a few lines that need more time or memory than there is. The first six are from an attack.
func bombs() map[string]string {
	lists := `{{$l := list "aaaaaaaa"}}{{range until 40}}{{$l = list $l $l}}{{end}}`
	cycle := `{{$d := dict "a" 1}}{{$_ := set $d "self" $d}}`
	deep := `{{define "t"}}{{if lt .n 90000}}{{template "t" (dict "n" (add1 .n))}}{{else}}{{include "t" (dict "n" 0)}}` +
		`{{end}}{{end}}{{template "t" (dict "n" 0)}}`
	return map[string]string{
		"derive":            `{{range until 1000000}}{{$x := derivePassword 1 "long" "a" "b" "c"}}{{end}}`,
		"double":            `{{$s := "aaaaaaaa"}}{{range until 60}}{{$s = printf "%s%s" $s $s}}{{end}}`,
		"fanout":            fanout(),
		"lists":             `{{$s := until 1000}}{{range until 60}}{{$s = concat $s $s}}{{end}}`,
		"nest":              `{{$l := until 1000000}}{{range $l}}{{range $l}}{{end}}{{end}}`,
		"replace":           `{{$s := repeat 100000 "ab"}}{{$t := replace "a" $s $s}}{{$u := replace "b" $t $t}}`,
		"range of a number": `{{range 1000000000}}{{range 1000000000}}{{end}}{{end}}`,
		"assignments":       `{{range until 1000000}}` + strings.Repeat(`{{$x := 1}}`, 1000) + `{{range 1000}}{{end}}{{end}}`,
		"printed list":      lists + `{{$l}}`,
		"list as JSON":      lists + `{{toJson $l}}`,
		"list as YAML":      lists + `{{toYaml $l}}`,
		"list as a key":     lists + `{{$d := dict $l 1}}`,
		"printed cycle":     cycle + `{{$d}}`,
		"cycle as YAML":     cycle + `{{toYaml $d}}`,
		"cycle copied":      cycle + `{{$x := deepCopy $d}}`,
		"cycle merged":      cycle + `{{$x := merge (dict) $d}}`,
		"cycle quoted":      cycle + `{{quote $d}}`,
		"join":              `{{$s := repeat 100000 "a"}}{{$t := join $s (until 1000000)}}`,
		"argument again":    `{{$s := repeat 1000000 "a"}}{{$t := printf (repeat 10000 "%[1]s") $s}}`,
		"width":             `{{$t := printf (repeat 100000 "%999999d") 1}}`,
		"regexp, replaced":  `{{$s := repeat 1000000 "a"}}{{$t := regexReplaceAll ".*" $s (repeat 100000 "${0}")}}`,
		"regexp, slow":      `{{range until 1000}}{{$x := regexMatch "(x{500}y{500}){2}z" (repeat 1000000 "x")}}{{end}}`,
		"wrapWith":          `{{$s := repeat 100000 "a"}}{{$t := wrapWith 1 $s $s}}`,
		"uniq":              `{{$x := uniq (until 1000000)}}`,
		"deep templates":    deep,
		"many strings":      `{{$l := list}}{{range $i := until 10000}}{{$l = append $l (repeat 1000000 "a")}}{{end}}`,
	}
}

// TestNoTemplateCanEndTheProcess renders templates that would need more time or memory than there is. Each is a
// problem of its own file, and the next chart is read.
func TestNoTemplateCanEndTheProcess(t *testing.T) {
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			_, err := source.Load(context.Background(), chart.New([]string{chartOf(t, text)}, options(nil)))
			var problems source.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("%v: not a problem", err)
			}
			for _, p := range problems {
				if p.At.Line == 0 || p.Suggestion == "" || strings.Contains(p.Summary, "ovi_") {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// TestAnInterruptEndsARendering cancels the context before a template that would take long.
func TestAnInterruptEndsARendering(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := source.Load(ctx, chart.New([]string{chartOf(t, bombs()["nest"])}, options(nil)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, not canceled", err)
	}
}

// TestLinksInAChartEnd: links to folders that make a circle, or a billion paths, and links to nothing are errors that name
// the link or the folder.
func TestLinksInAChartEnd(t *testing.T) {
	for name, x := range map[string]struct {
		links map[string]string // in the folder of the templates
		want  string
	}{
		"a circle":   {map[string]string{"up": ".."}, "too many levels of symbolic links"},
		"to itself":  {map[string]string{"a.yaml": "a.yaml"}, "too many levels of symbolic links"},
		"to nothing": {map[string]string{"a.yaml": "none"}, "no such file or folder\n  at DIR/templates/a.yaml\n  Suggestion: remove the file or the link"},
		"many paths": {many(14), "more than 10,000 files and folders"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := chartOf(t, "")
			for from, to := range x.links {
				file := filepath.Join(dir, "templates", from)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.Symlink(to, file)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := source.Load(t.Context(), chart.New([]string{dir}, options(nil)))
			if text := strings.ReplaceAll(fmt.Sprint(err), dir, "DIR"); !strings.Contains(text, x.want) {
				t.Errorf("%s", text)
			}
		})
	}
}

// many are two links from each folder to the next one. Linux follows 40 links in a path, and counts those of a first,
// interrupted walk: 25 folders fail by luck.
func many(folders int) map[string]string {
	links := map[string]string{}
	for i := range folders {
		for _, link := range []string{"a", "b"} {
			links[fmt.Sprintf("d%02d/%s", i, link)] = fmt.Sprintf("../d%02d", i+1)
		}
	}
	links[fmt.Sprintf("d%02d/end", folders)] = "../x.yaml"
	return links
}

// TestNoYAMLOfAChartCanFillTheMemory reads YAML that is nested too deep, repeats itself too much or is too large, as
// each file of a chart.
func TestNoYAMLOfAChartCanFillTheMemory(t *testing.T) {
	for name, file := range map[string]string{
		"values": "values.yaml", "a file of values": "more.yaml", "a template": "templates/x.yaml", "Chart.yaml": "Chart.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			sourcetest.Budget(t, source.MaxText, func(t *testing.T, text string) error {
				dir, opts := chartOf(t, "a: 1\n"), options(nil)
				write(t, filepath.Join(dir, filepath.FromSlash(file)), text)
				if file == "more.yaml" {
					opts.Values = []string{filepath.Join(dir, file)}
				}
				_, err := source.Load(t.Context(), chart.New([]string{dir}, opts))
				return err
			})
		})
	}
	t.Run("a manifest", func(t *testing.T) {
		sourcetest.Budget(t, source.MaxText, func(t *testing.T, text string) error {
			file := filepath.Join(t.TempDir(), "web.yaml")
			write(t, file, text)
			_, err := source.Load(t.Context(), chart.New([]string{file}, options(nil)))
			return err
		})
	})
}

// chartOf writes a chart with one template.
func chartOf(t *testing.T, text string) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Chart.yaml"), "name: bomb\nversion: 0.1.0\n")
	write(t, filepath.Join(dir, "templates", "x.yaml"), text)
	return dir
}

// TestSeqCountsOnce counts down and up, too far and not at all. The error names the counting once, as it was written.
func TestSeqCountsOnce(t *testing.T) {
	for text, want := range map[string]string{
		`{{seq 100000000}}`:        "cannot count from 0 to 100000000 by 1:",
		`{{seq 100000000 1}}`:      "cannot count from 100000000 to 1 by -1:",
		`{{seq -100000000}}`:       "cannot count from 0 to -100000000 by -1:",
		`{{seq 1 2 100000000}}`:    "cannot count from 1 to 100000000 by 2:",
		`# {{seq 1 -1 100000000}}`: "",
		`# {{seq 0 0 100000000}}`:  "",
		`# {{seq 3 1}} {{seq 2}}`:  "",
	} {
		_, err := source.Load(t.Context(), chart.New([]string{chartOf(t, text)}, options(nil)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want == "" && err != nil || !strings.Contains(got, want) || strings.Count(got, "cannot count") > 1 {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
