package config_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

var update = flag.Bool("update", false, "rewrite the golden files and the reference")

// badInputs are the files and folders of testdata/bad.
func badInputs(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata/bad")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".golden" {
			out = append(out, "testdata/bad/"+e.Name())
		}
	}
	return append(out, "testdata/bad/utf17.yaml") // which does not exist
}

// TestBadInput reads inputs with errors, and compares all problems with a golden
// file. Each problem must say where it is; most say what to do.
func TestBadInput(t *testing.T) {
	inputs := badInputs(t)
	if len(inputs) < 60 {
		t.Fatalf("only %d inputs", len(inputs))
	}
	for _, name := range inputs {
		t.Run(filepath.Base(name), func(t *testing.T) {
			opts := options(nil)
			opts.Files = nil
			_, err := loadFrom(config.New([]string{name}, opts))
			var problems source.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("no problems, but %v", err)
			}
			for _, p := range problems {
				if !strings.HasPrefix(p.At.File, name) {
					t.Errorf("a problem without a file: %+v", p)
				}
				if p.Suggestion == "" {
					t.Errorf("a problem without a suggestion: %+v", p)
				}
				if strings.Contains(p.String(), fakeSecret) {
					t.Errorf("a problem that shows the secret: %s", p)
				}
			}
			golden(t, strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".json")+".golden", err.Error()+"\n")
		})
	}
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
