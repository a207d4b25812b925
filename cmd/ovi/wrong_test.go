package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWrongInput gives ovi every wrong config that there is: each is an error with its place
// and what to do, exit code 1, and nothing is written. The words themselves are held by the
// golden files beside the configs.
func TestWrongInput(t *testing.T) {
	all, err := filepath.Glob("../../source/config/testdata/bad/*")
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`(?m)^  at [^\n]*\.(ya?ml|json):\d+`)
	n := 0
	for _, file := range all {
		if ext := filepath.Ext(file); ext != ".yaml" && ext != ".json" {
			continue
		}
		n++
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := "ovi" + filepath.Ext(file)
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := ovi(t, dir, "plan", "--sandbox", name)
			out, err := cmd.CombinedOutput()
			if err == nil || exitText(err) != "1" {
				t.Fatalf("it ended with %v, want exit code 1:\n%s", err, out)
			}
			if !strings.HasPrefix(string(out), "error: ") || !place.Match(out) || !strings.Contains(string(out), "\n  next: ") {
				t.Errorf("no place or no suggestion:\n%s", out)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) != 1 {
				t.Errorf("something was written: %v %v", left, err)
			}
		})
	}
	if n < 30 {
		t.Errorf("only %d kinds of wrong input, want 30", n)
	}
}
