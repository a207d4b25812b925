package chart_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// TestConformance holds charts and plain manifests to what every source promises.
func TestConformance(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(map[bool]string{false: "chart", true: "plain"}[plain], func(t *testing.T) {
			folder := func(dir string) string { return filepath.Join(dir, "suite") } // the stack of plain manifests
			where := func(dir string) string {
				if plain {
					return filepath.Join(folder(dir), "all.yaml")
				}
				return filepath.Join(folder(dir), "templates", "all.yaml")
			}
			sourcetest.Run(t, sourcetest.Harness{
				Write: func(t *testing.T, dir string, specs []sourcetest.Spec) source.Source {
					if !plain {
						write(t, filepath.Join(folder(dir), "Chart.yaml"), "name: suite\nversion: 1.2.3\n")
					}
					write(t, where(dir), manifests(t, folder(dir), specs, plain))
					return chart.New([]string{folder(dir)},
						chart.Options{Options: sourcetest.Options(), Provider: sourcetest.Provider})
				},
				Break: func(t *testing.T, dir string) {
					if err := os.Truncate(where(dir), 300); err != nil {
						t.Fatal(err)
					}
				},
			})
		})
	}
}

// manifests writes specs. In a chart a template makes what has a count.
func manifests(t *testing.T, dir string, specs []sourcetest.Spec, plain bool) string {
	t.Helper()
	var out strings.Builder
	for i, s := range specs {
		head, names, tail := "", []string{s.Name}, ""
		switch {
		case s.Count > 0 && plain:
			names = nil
			for n := range s.Count {
				names = append(names, fmt.Sprintf("%s-%d", s.Name, n))
			}
		case s.Count > 0:
			head, names, tail = fmt.Sprintf("{{- range until %d }}\n", s.Count), []string{s.Name + "-{{ . }}"}, "{{ end -}}\n"
		}
		out.WriteString(head)
		for _, name := range names {
			fmt.Fprintf(&out, "---\napiVersion: cutepod/v1alpha0\nkind: Cute%s%s\nmetadata:\n  name: %s\n",
				strings.ToUpper(s.Kind[:1]), s.Kind[1:], name)
			if len(s.DependsOn) > 0 {
				fmt.Fprintf(&out, "  dependsOn: [%s]\n", strings.Join(s.DependsOn, ", "))
			}
			if len(s.Attrs)+len(s.Secrets) > 0 {
				out.WriteString("spec:\n")
			}
			for k, v := range s.Attrs {
				fmt.Fprintf(&out, "  %s: %v\n", k, quoted(v))
			}
			for k, v := range s.Secrets {
				file := fmt.Sprintf("%s-%d", k, i)
				write(t, filepath.Join(dir, file), v)
				fmt.Fprintf(&out, "  %s: ${file:%s}\n", k, file)
			}
		}
		out.WriteString(tail)
	}
	return out.String()
}

func quoted(v any) any {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return v
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
