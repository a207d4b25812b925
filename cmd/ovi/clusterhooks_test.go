package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/kube/kubetest"
)

// killing is a command of the user that creates the cluster with a real kind, notes that it ran, and the first
// time kills ovi before that has any result.
const killing = `echo created >>"$NOTES"
sleep 600 >/dev/null 2>&1 & # goes on when ovi and this script have ended
echo $! >"$NOTES.child"
for try in 1 2 3; do # podman exec may lose the output of kind's
	kind create cluster --name "$CLUSTER_NAME" --image "$CLUSTER_IMAGE" --kubeconfig "$HOME/theirs" && break
done
test "$(wc -l <"$NOTES")" != 1 || kill -9 "$PPID"
`

// killedByItsCommand is a site on which ovi was killed while the user's command had created the cluster dev-a.
func killedByItsCommand(t *testing.T) *clusterSite {
	t.Helper()
	f := &clusterSite{t: t, e: clustertest.Quick(t), dir: t.TempDir()}
	script := filepath.Join(f.dir, "create.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+killing), 0o700); err != nil {
		t.Fatal(err)
	}
	f.environ = []string{"OVI_CLUSTER_CREATE_COMMAND=" + script, "NOTES=" + f.notes(), "OVI_CLUSTER_ENV=NOTES"}
	writeConfig(t, f.dir, quickCluster)
	cmd := f.command("apply", "--auto-approve")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("ovi was not killed: %v\n%s", err, out)
	}
	return f
}

func (f *clusterSite) notes() string { return filepath.Join(f.dir, "notes") }

// ran is how often the command ran.
func (f *clusterSite) ran() int {
	f.t.Helper()
	b, err := os.ReadFile(f.notes())
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Count(string(b), "created")
}

// ended: what the first command had started does not run any more.
func (f *clusterSite) ended(child string) {
	f.t.Helper()
	if b, err := os.ReadFile("/proc/" + child + "/environ"); err == nil && len(b) > 0 {
		f.t.Errorf("the process %s goes on", child)
	}
}

// child is the process that the command started last.
func (f *clusterSite) child() string {
	f.t.Helper()
	b, err := os.ReadFile(f.notes() + ".child")
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// alone: the one cluster is as declared and managed, nothing else is left, and it can be deleted.
func (f *clusterSite) alone() {
	f.t.Helper()
	f.shows(f.ovi(0, "plan"), "No changes. 1 unchanged.")
	if left := f.e.Podman(f.t, "ps", "-a", "--format", "{{.Names}}"); left != "dev-a-control-plane" {
		f.t.Errorf("containers %s", left)
	}
	writeConfig(f.t, f.dir, "version: v1\nstack: fleet\nprovider: cluster\nresources: []\n")
	f.shows(f.ovi(0, "apply", "--auto-approve"), "1 deleted")
	if left := f.e.Podman(f.t, "ps", "-aq") + f.e.Podman(f.t, "volume", "ls", "-q", "--filter", "label=ovi.cluster"); left != "" {
		f.t.Errorf("%s is left", left)
	}
}

// TestAKilledCommandOfTheUserIsMadeGood: the cluster that it left is found by its birth note. One that nothing was put
// into is created once more by the next apply, as after a killed kind; what the command had started ends first.
func TestAKilledCommandOfTheUserIsMadeGood(t *testing.T) {
	f := killedByItsCommand(t)
	first := f.child()
	f.ovi(0, "apply", "--auto-approve")
	f.ended(first)
	if n := f.ran(); n != 2 {
		t.Errorf("the command ran %d times", n)
	}
	f.alone()
	f.ended(f.child())
}

// TestWhatAKilledCommandMadeIsKept where something was put into it: it is managed, and the command does not run again.
func TestWhatAKilledCommandMadeIsKept(t *testing.T) {
	f := killedByItsCommand(t)
	text, err := os.ReadFile(filepath.Join(f.e.Dir, "theirs"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := kube.Parse(text, "kind-dev-a", "")
	if err != nil {
		t.Fatal(err)
	}
	api, err := kube.New(config)
	if err != nil {
		t.Fatal(err)
	}
	kubetest.Namespace(t, api, "theirs")
	before := f.e.Podman(t, "ps", "-aq", "--no-trunc")
	f.ovi(0, "apply", "--auto-approve")
	if now := f.e.Podman(t, "ps", "-aq", "--no-trunc"); now != before || f.ran() != 1 {
		t.Errorf("the command ran %d times, and the container %s became %s", f.ran(), before, now)
	}
	f.alone()
}
