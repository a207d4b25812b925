package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/internal/canary"
	"github.com/ovi-project/ovi/resource"
)

// terminal opens a pseudo terminal: what is written to the second file is read from the first.
func terminal(t *testing.T) (outside, inside *os.File) {
	t.Helper()
	outside, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	t.Cleanup(func() { _ = outside.Close() })
	fd := int(outside.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		inside, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	return outside, inside
}

// onTerminal runs a command with standard error on a terminal, and returns what the terminal shows.
func onTerminal(t *testing.T, cmd *exec.Cmd, stdout *strings.Builder) string {
	t.Helper()
	outside, inside := terminal(t)
	cmd.Stdout, cmd.Stderr = stdout, inside
	shown := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(outside) // ends with an error when nothing has the other side open
		shown <- string(text)
	}()
	_ = cmd.Run() // the caller looks at the exit code
	_ = inside.Close()
	return <-shown
}

func globbed(t *testing.T, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %v", pattern, all, err)
	}
	return all
}

// TestTheWholeErrorIsForATerminalAlone: --show-errors shows the message of a request with a secret on the terminal of
// standard error, and in no other place. If standard error is not a terminal, the command does nothing.
func TestTheWholeErrorIsForATerminalAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeConfig(t, dir, canaryConfig)
	if err := os.WriteFile(filepath.Join(dir, "boot"), []byte(canary.Secret), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"CANARY=" + canary.Secret, quoting(t, "CreateDBInstance", "RunInstances")}
	apply := []string{"apply", "--sandbox", "--auto-approve", "--show-errors", "--log-level", "trace"}

	piped := ovi(t, dir, apply...)
	piped.Env = append(piped.Env, env...)
	out, err := piped.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--show-errors needs a terminal") || len(formsIn(string(out))) > 0 {
		t.Errorf("without a terminal: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".ovi")); err == nil {
		t.Error("the rejected command did something")
	}

	cmd := ovi(t, dir, apply...)
	cmd.Env = append(cmd.Env, env...)
	var stdout strings.Builder
	text := onTerminal(t, cmd, &stdout)
	if !strings.Contains(text, "rds/db: the whole error, on this terminal alone:") || !strings.Contains(text, canary.Secret) {
		t.Errorf("the terminal shows:\n%s", text)
	}
	if cmd.ProcessState.Success() {
		t.Error("nothing was refused")
	}
	if found := formsIn(stdout.String()); len(found) > 0 {
		t.Errorf("standard output has %q", found)
	}
	for _, args := range [][]string{{"audit", "log", "--output", "json"}, {"why", "rds/db"}} {
		out, _ := ovi(t, dir, args...).CombinedOutput()
		if found := formsIn(string(out)); len(found) > 0 {
			t.Errorf("%s has %q", args, found)
		}
	}
	noCanaryIn(t, dir)

	for _, file := range globbed(t, filepath.Join(dir, ".ovi", "errors", "*")) {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	text = onTerminal(t, ovi(t, dir, "why", "rds/db", "--show-errors"), &stdout)
	if !strings.Contains(text, "rds/db: the whole error of 20") || !strings.Contains(text, canary.Secret) {
		t.Errorf("later, the terminal shows:\n%s", text)
	}
	if found := formsIn(stdout.String()); len(found) > 0 {
		t.Errorf("standard output of why has %q", found)
	}
	if out, err := ovi(t, dir, "history", "rds/db").CombinedOutput(); err != nil || !strings.Contains(string(out), "whole error of") {
		t.Errorf("the record of it: %v\n%s", err, out)
	}
	noCanaryIn(t, dir)
}

// TestTheWholeErrorOfANode: the folder of a node has errors and no log. Its operator reads one on a terminal, after that
// is noted for the orchestrator.
func TestTheWholeErrorOfANode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "node", "errors")
	ref := resource.Ref{Stack: "berlin", Provider: "edge", Location: "berlin/n1", Kind: "deployment", Name: "web"}
	name, err := json.Marshal(ref)
	if err == nil {
		text := `{"ref":` + string(name) + `,"at":"2026-11-29T12:00:00Z","text":"the password ` + canary.Secret + ` is wrong"}`
		err = errors.Join(os.MkdirAll(folder, 0o700), os.Chmod(filepath.Join(dir, "node"), 0o700), os.WriteFile(filepath.Join(folder, "a.json"), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"why", "web", "--data-dir", "node"}, {"why", "web", "--data-dir", "node", "--show-errors"}} {
		out, err := ovi(t, dir, args...).CombinedOutput()
		if err == nil || len(formsIn(string(out))) > 0 || !strings.Contains(string(out), "--show-errors") {
			t.Errorf("ovi %q: %v\n%s", args, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node", "shown")); err == nil {
		t.Error("it is noted, and was not shown")
	}
	var stdout strings.Builder
	shown := onTerminal(t, ovi(t, dir, "why", "web", "--data-dir", "node", "--show-errors"), &stdout)
	if !strings.Contains(shown, "the whole error of 2026-11-29") || !strings.Contains(shown, canary.Secret) || len(formsIn(stdout.String())) > 0 {
		t.Errorf("the terminal shows\n%s\nand standard output has\n%s", shown, stdout.String())
	}
	if notes := globbed(t, filepath.Join(dir, "node", "shown", "*.json")); len(notes) != 1 {
		t.Errorf("notes: %q", notes)
	}
	if shown := onTerminal(t, ovi(t, dir, "why", "other", "--data-dir", "node", "--show-errors"), &stdout); !strings.Contains(shown, "keeps no text of an error of other") {
		t.Errorf("of another deployment:\n%s", shown)
	}
}
