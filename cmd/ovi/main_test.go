package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden files and the generated pages")

// TestMain lets this test binary be ovi: scripts, and the tests that kill it, run it as a
// process of its own without building it again.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ovi": main})
}

// golden compares a file with what it should hold, or rewrites it.
func golden(t *testing.T, file string, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: make it with `make golden`", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale, `make golden` rewrites it (-want +got):\n%s", file, diff)
	}
}
