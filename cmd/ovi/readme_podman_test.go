package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/podmantest"
)

// TestTranscriptOnPodman runs every command of the transcript in docs/containers.md, in order, and
// compares what they print.
func TestTranscriptOnPodman(t *testing.T) {
	host := podmantest.Start(t)
	text, err := os.ReadFile("../../docs/containers.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```shell-session\n(.*?)```").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("docs/containers.md has no commands")
	}
	var got strings.Builder
	for line := range strings.SplitSeq(block[1], "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		cmd := exec.Command("/bin/sh", "-c", command)
		if args, is := strings.CutPrefix(command, "ovi "); is {
			cmd = ovi(t, dir, strings.Fields(args)...)
			cmd.Env = append(cmd.Env, "CONTAINER_HOST=unix://"+host.Socket)
		} else {
			cmd.Dir, cmd.Env = dir, host.Env()
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		got.WriteString(line + "\n")
		if !strings.HasPrefix(command, "examples/") { // which prints the ID of an image
			got.Write(out)
		}
	}
	if diff := cmp.Diff(masked(block[1]), masked(got.String())); diff != "" {
		t.Errorf("docs/containers.md is stale (-want +got):\n%s", diff)
	}
}
