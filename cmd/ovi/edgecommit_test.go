package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
)

// countedGit is a git on the PATH that notes with what it is called, and the file of the notes.
func countedGit(t *testing.T) (path, notes string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	notes = filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>%q\nexec %q \"$@\"\n", notes, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return dir + string(os.PathListSeparator) + os.Getenv("PATH"), notes
}

// TestACommitForAnotherSiteCostsOneFetch: an orchestrator at rest asks for the head of its branch in each cycle. A
// commit for another site is fetched once; no file of it is read, and no plan is made for it.
func TestACommitForAnotherSiteCostsOneFetch(t *testing.T) {
	s := &edgeSite{t: t, repo: gittest.New(t), dir: t.TempDir(), address: fmt.Sprintf("127.0.0.1:%d", freePort(t))}
	s.repo.Commit(map[string]string{"deployments/berlin/site.yaml": "nodes: [{name: n1}]\ndeployments: none\n"})
	path, notes := countedGit(t)
	t.Setenv("PATH", path)
	s.orchestrator()
	s.listens(s.address)
	calls := func(words ...string) (n int) {
		b, _ := os.ReadFile(notes)
		for _, word := range words {
			n += strings.Count(string(b), " "+word+" ")
		}
		return n
	}
	plans := func() int {
		return strings.Count(s.read("audit", "log", "--type", "planned", "--output", "json"), `"type":"record"`)
	}
	cycles := func(n int) {
		t.Helper()
		until := calls("ls-remote") + n
		eventually(t, "the orchestrator asks for the head", func() bool { return calls("ls-remote") >= until })
	}
	cycles(3)
	heads, fetches, reads, planned := calls("ls-remote"), calls("fetch"), calls("cat-file", "archive"), plans()
	s.repo.Commit(map[string]string{"deployments/paris/site.yaml": "nodes: [{name: n1}]\ndeployments: none\n"})
	cycles(4)
	more := calls("ls-remote") - heads
	if n := calls("fetch") - fetches; n != 1 {
		t.Errorf("%d fetches", n)
	}
	if n := calls("cat-file", "archive") - reads; n != 0 {
		t.Errorf("%d reads of files", n)
	}
	if n := plans() - planned; n > more+1 {
		t.Errorf("%d plans in %d cycles", n, more)
	}
	if fetches == 0 || reads == 0 || planned == 0 {
		t.Errorf("at the start %d fetches, %d reads and %d plans were noted", fetches, reads, planned)
	}
}
