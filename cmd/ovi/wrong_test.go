package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWrongInput gives ovi every wrong config that there is: each is an error with its place
// and what to do, exit code 1, and nothing is written. Of what is wrong with any config the
// golden files of source/config have the words; those of what AWS would reject are here.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	n := 0
	for _, pattern := range []string{"../../source/config/testdata/bad/*", "testdata/wrong/*"} {
		all, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range all {
			if ext := filepath.Ext(file); ext != ".yaml" && ext != ".json" {
				continue
			}
			n++
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				wrongInput(t, file)
			})
		}
	}
	if n < 30 {
		t.Errorf("only %d kinds of wrong input, want 30", n)
	}
}

var problemLocation = regexp.MustCompile(`(?m)^  at [^\n]*\.(ya?ml|json):\d+`)

func wrongInput(t *testing.T, file string) {
	dir := t.TempDir()
	copyFile(t, file, filepath.Join(dir, "ovi"+filepath.Ext(file)))
	outside, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outside {
		copyFile(t, o, filepath.Join(dir, filepath.Base(o)))
	}
	out, err := ovi(t, dir, "plan", "--sandbox", "ovi"+filepath.Ext(file)).CombinedOutput()
	if err == nil || exitText(err) != "1" {
		t.Fatalf("it ended with %v, want exit code 1:\n%s", err, out)
	}
	if !strings.HasPrefix(string(out), "Error: ") || !problemLocation.Match(out) || !strings.Contains(string(out), "\n  Suggestion: ") {
		t.Errorf("no place or no suggestion:\n%s", out)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1+len(outside) {
		t.Errorf("something was written: %v %v", left, err)
	}
	if strings.Contains(string(out), "not-a-real") {
		t.Errorf("it shows a secret:\n%s", out)
	}
	golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden"
	if filepath.Dir(file) != filepath.Join("testdata", "wrong") {
		return
	}
	if *update {
		if err := os.WriteFile(golden, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), string(out)); diff != "" {
		t.Errorf("%s is stale (run with -update and look at the difference):\n%s", golden, diff)
	}
}

// TestBordersAreRight applies values just within AWS's limits: a check that rejects what
// AWS accepts is worse than none. The sandbox implements the limits separately.
func TestBordersAreRight(t *testing.T) {
	dir := t.TempDir()
	copyFile(t, "testdata/right/aws-borders.yaml", filepath.Join(dir, "ovi.yaml"))
	copyFile(t, "testdata/right/password.txt", filepath.Join(dir, "password.txt"))
	cmd := ovi(t, dir, "apply", "--sandbox", "--auto-approve")
	cmd.Env = append(cmd.Env, "OVI_SANDBOX_SETTLE=0s")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := ovi(t, dir, "plan", "--sandbox", "--detailed-exitcode").CombinedOutput(); err != nil {
		t.Errorf("the next plan is not empty: %v\n%s", err, out)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
