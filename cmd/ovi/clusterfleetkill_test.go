package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAKilledBootstrapOfAFleetIsMadeGood: whenever ovi is killed, the next run ends with every cluster and all
// that is around it, once, and nothing else. The gate kills at 2 moments, `make clusters` at 20 that are spread over
// the time of a whole bootstrap: four in a row, then a run that makes all good, and then all clusters are removed by
// hand, so that there is something to kill.
func TestAKilledBootstrapOfAFleetIsMadeGood(t *testing.T) {
	f := quickFleet(t)
	if os.Getenv("OVI_CLUSTERS") != "all" {
		f.killed(1500 * time.Millisecond)
		f.killed(3 * time.Second)
		f.madeGood()
		return
	}
	const kills, round = 20, 4
	started := time.Now()
	f.reconcile(0)
	took := time.Since(started)
	for n := range kills {
		if n%round == 0 {
			f.deleteByHand()
		}
		f.killed(took * time.Duration(n+1) / (kills + 1))
		if n%round == round-1 {
			f.madeGood()
		}
	}
}

// madeGood: the next run ends with everything, once.
func (f *fleetSite) madeGood() {
	f.t.Helper()
	t := f.t
	f.reconcile(0)
	f.whole(f.names())
	f.shows(f.ovi(0, "plan", f.database()), "No changes.")
	if left := strings.Fields(f.e.Podman(t, "ps", "-a", "--filter", "label=k3d.role=server", "--filter", "label=io.x-k8s.kind.role=control-plane", "--format", "{{.Names}}")); len(left) != 0 {
		t.Errorf("containers of both programs: %v", left)
	}
	if n := f.servers(); n != len(f.rows)+1 { // and the management cluster
		t.Errorf("there are %d servers for %d rows", n, len(f.rows))
	}
	networks := strings.Fields(f.e.Podman(t, "network", "ls", "--filter", "name=^k3d-", "--format", "{{.Name}}"))
	want := []string{}
	for _, r := range f.rows {
		if r.provider == "k3d" {
			want = append(want, "k3d-"+r.name)
		}
	}
	slices.Sort(networks)
	slices.Sort(want)
	if diff := cmp.Diff(want, networks); diff != "" {
		t.Errorf("networks of k3d:\n%s", diff)
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
