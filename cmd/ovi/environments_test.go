package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleOfEnvironments runs the commands that the example names, applies it in each environment, and plans again.
func TestExampleOfEnvironments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	const file = "examples/environments/ovi.yaml"
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n >= 120 {
		t.Errorf("%s has %d lines", file, n)
	}
	run := func(args ...string) string {
		out, err := ovi(t, dir, args...).CombinedOutput()
		if err != nil {
			t.Errorf("ovi %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, env := range []string{"dev", "staging", "prod"} {
		run("apply", "--sandbox", "--auto-approve", "--env", env, file)
		run("plan", "--sandbox", "--detailed-exitcode", "--env", env, file)
	}
	commands := 0
	for line := range strings.Lines(string(text)) {
		if command, is := strings.CutPrefix(line, "#   ovi "); is {
			commands++
			args := strings.Fields(command)
			if args[0] == "apply" || args[0] == "destroy" {
				args = append(args, "--auto-approve")
			}
			if out := run(args...); args[0] == "output" && !strings.Contains(out, "http://") {
				t.Errorf("the outputs are %s", out)
			}
		}
	}
	if out := run("plan", "--sandbox", "--env", "dev", file); commands != 4 || !strings.Contains(out, "17 to create") {
		t.Errorf("%d commands, and then: %s", commands, out)
	}
}
