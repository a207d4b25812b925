package chart_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
)

// TestBadCharts reads charts with errors, and compares all problems with golden files. The lines
// above the files of an archive are its --set and --values.
func TestBadCharts(t *testing.T) {
	names, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d charts, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			problems := problemsOf(t, a)
			for _, p := range problems {
				if p.Summary == "" || p.Suggestion == "" {
					t.Errorf("a problem without a suggestion: %+v", p)
				}
				if p.At.File == "" && !strings.Contains(p.Summary, "--set") {
					t.Errorf("a problem without a position: %+v", p)
				}
				if s := p.String(); strings.Contains(s, fakeSecret) || strings.Contains(s, fakeBase64) {
					t.Errorf("a problem that shows the secret: %s", p)
				}
			}
			golden(t, strings.TrimSuffix(name, ".txtar")+".golden", problems.Error()+"\n")
		})
	}
}

// problemsOf are all problems of an archive, whoever finds them.
func problemsOf(t *testing.T, a *txtar.Archive) source.Problems {
	t.Helper()
	opts := options(archive(a))
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "set":
			opts.Set = append(opts.Set, value)
		case "values":
			opts.Values = append(opts.Values, value)
		case "namespace":
			opts.Namespace = value
		}
	}
	_, err := source.Load(context.Background(), chart.New([]string{"c"}, opts))
	var problems source.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("no problems, but %v", err)
	}
	return problems
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale (run with -update and review the difference):\n%s", name, diff)
	}
}
