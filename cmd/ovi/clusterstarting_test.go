package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startingFile has a cluster and, of later versions of the file, one that refers to a value of it.
const startingFile = `version: v1
stack: fleet
resources:
  - {type: cluster, provider: cluster, name: dev, spec: {provider: kind}}
`

const startingNext = `  - {type: cluster, provider: cluster, name: uat, spec: {provider: k3d, subnet: "${cluster/dev.server_ip}"}}
`

// TestAnApplyWaitsForAClusterThatStarts, as a killed run may leave one: also that of a saved plan. Plans and drift
// do not wait, and say that it starts.
func TestAnApplyWaitsForAClusterThatStarts(t *testing.T) {
	t.Parallel()
	for _, saved := range []bool{false, true} {
		dir := t.TempDir()
		run := func(args ...string) *exec.Cmd {
			cmd := ovi(t, dir, args...)
			cmd.Env = append(cmd.Env, "OVI_FAKE_CLUSTERS="+dir)
			return cmd
		}
		file, starting := filepath.Join(dir, "fleet.yaml"), filepath.Join(dir, ".starting-dev")
		write := func(path, text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(file, startingFile)
		inShell(t, "0", run("apply", "--auto-approve", "fleet.yaml"))
		write(file, startingFile+startingNext)
		write(starting, "")
		inShell(t, "0", run("plan", "--out", "change.plan", "fleet.yaml")) // at once
		apply := run("apply", "--auto-approve", "fleet.yaml")
		if saved {
			apply = run("apply", "change.plan")
		}
		out, err := apply.StdoutPipe()
		if err == nil {
			err = apply.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "Waiting up to 2m for cluster/dev: its API server starts") {
				if err := os.Remove(starting); err != nil {
					t.Error(err)
				}
			}
		}
		if err := apply.Wait(); err != nil {
			t.Errorf("saved %v: %v", saved, err)
		}
		if out := inShell(t, "0", run("plan", "fleet.yaml")); !strings.Contains(out, "No changes. 2 unchanged.") {
			t.Errorf("saved %v: afterwards\n%s", saved, out)
		}
	}
}
