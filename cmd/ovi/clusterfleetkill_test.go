package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAKilledBootstrapOfAFleetIsMadeGood: whenever ovi is killed, the next run ends with every cluster and all
// that is around it, once, and nothing else. The gate kills at 2 moments, `make clusters` at 20.
func TestAKilledBootstrapOfAFleetIsMadeGood(t *testing.T) {
	f := newFleet(t)
	kills, step := 2, 1500*time.Millisecond
	if os.Getenv("OVI_CLUSTERS") == "all" {
		kills, step = 20, 700*time.Millisecond
	}
	for n := range kills {
		f.killed(time.Duration(n+1) * step)
	}
	f.reconcile(0)
	f.whole(f.names())
	f.shows(f.ovi(0, "plan", f.database()), "No changes.")
	if left := strings.Fields(f.e.Podman(t, "ps", "-a", "--filter", "label=k3d.role=server", "--filter", "label=io.x-k8s.kind.role=control-plane", "--format", "{{.Names}}")); len(left) != 0 {
		t.Errorf("containers of both programs: %v", left)
	}
	if n := f.servers(); n != len(f.rows)+1 { // and the management cluster
		t.Errorf("there are %d servers for %d rows", n, len(f.rows))
	}
	b, err := os.ReadFile(filepath.Join(f.proxy.Folder.Path, "ovi.cfg"))
	if n := strings.Count(string(b), "backend be_ovi_"); err != nil || n != len(f.rows) {
		t.Errorf("there are %d backends for %d rows, %v", n, len(f.rows), err)
	}
}

// killed kills a run some time after it started.
func (f *fleetSite) killed(after time.Duration) {
	f.t.Helper()
	cmd := f.command("cluster", "reconcile", "--log-file", filepath.Join(f.dir, "log"), f.database())
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	time.Sleep(after) // the moment of the kill is what is tried
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	f.t.Log("killed after " + after.String() + " with " + strconv.Itoa(f.servers()) + " servers")
}

// servers counts the servers of all clusters.
func (f *fleetSite) servers() int {
	f.t.Helper()
	names := strings.Fields(f.e.Podman(f.t, "ps", "-a", "--filter", "label=k3d.role=server", "--format", "{{.Names}}"))
	return len(append(names, strings.Fields(f.e.Podman(f.t, "ps", "-a", "--filter", "label=io.x-k8s.kind.role=control-plane", "--format", "{{.Names}}"))...))
}
