package main

import (
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/clustertest"
)

const quickCluster = `version: v1
stack: fleet
provider: cluster
resources:
  - type: cluster
    name: dev-a
    spec: {provider: kind, image: ` + clustertest.QuickImage + `}
`

// TestAKilledCreationOfAClusterIsMadeGood: whenever ovi is killed, kind ends with it, and the next apply ends
// with one healthy cluster and nothing else. The moments are counted from when the node exists: 2 in the gate, 4 in
// `make clusters`.
func TestAKilledCreationOfAClusterIsMadeGood(t *testing.T) {
	f := &clusterSite{t: t, e: clustertest.Quick(t), dir: t.TempDir()}
	moments := []time.Duration{0, time.Second}
	if realFleets() {
		moments = append(moments, 300*time.Millisecond, 2*time.Second)
	}
	for _, after := range moments {
		writeConfig(t, f.dir, quickCluster)
		f.killApply(after)
		f.ovi(0, "apply", "--auto-approve")
		f.shows(f.ovi(0, "plan"), "No changes. 1 unchanged.")
		if left := f.e.Podman(t, "ps", "-a", "--format", "{{.Names}}"); left != "dev-a-control-plane" {
			t.Errorf("killed after %v: containers %s", after, left)
		}
		writeConfig(t, f.dir, "version: v1\nstack: fleet\nprovider: cluster\nresources: []\n")
		f.ovi(0, "apply", "--auto-approve")
	}
}

// killApply kills an apply some time after the node exists.
func (f *clusterSite) killApply(after time.Duration) {
	f.t.Helper()
	cmd := f.command("apply", "--auto-approve")
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); f.e.Podman(f.t, "ps", "-aq") == ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatal("no node appears")
		}
	}
	time.Sleep(after) // the moment of the kill is what is tried
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
}
