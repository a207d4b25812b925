package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
)

// hanging is a command of the user that creates a cluster with kind. The creation of one hangs until its pipe is closed.
const hanging = `#!/bin/sh
test "$CLUSTER_NAME" != stuck || read -r _ <"$PIPE"
for try in 1 2 3; do # podman exec may lose the output of kind's
	kind create cluster --name "$CLUSTER_NAME" --image "$CLUSTER_IMAGE" --kubeconfig "$HOME/theirs" && exit 0
	kind delete cluster --name "$CLUSTER_NAME"
done
exit 1
`

// TestLaw12_ACreationThatHangsDelaysNoOtherCluster: under `ovi run`, while the creation of a cluster hangs, others are
// created, a commit is applied, and a cluster that was removed by hand is created again.
func TestLaw12_ACreationThatHangsDelaysNoOtherCluster(t *testing.T) {
	f := &clusterSite{t: t, e: clustertest.Quick(t), dir: t.TempDir()}
	script, pipe := filepath.Join(f.dir, "create.sh"), filepath.Join(f.dir, "pipe")
	if err := os.WriteFile(script, []byte(hanging), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	f.environ = []string{"OVI_CLUSTER_CREATE_COMMAND=" + script, "PIPE=" + pipe, "OVI_CLUSTER_ENV=PIPE"}
	commit := func(names ...string) {
		text := "version: v1\nstack: fleet\nprovider: cluster\nresources:\n"
		for _, name := range names {
			text += fmt.Sprintf("  - {type: cluster, name: %s, spec: {provider: kind, image: '%s'}}\n", name, clustertest.QuickImage)
		}
		writeConfig(t, f.dir, text)
	}
	commit("stuck", "dev-a")
	i := &instance{name: "ovi run", cmd: f.command("run", "--auto-approve", "--interval", "2s")}
	i.cmd.Stdout, i.cmd.Stderr = i, i
	if err := i.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = i.cmd.Process.Kill()
		_ = i.cmd.Wait()
		if t.Failed() {
			t.Logf("it said:\n%s", i.said())
		}
	})
	created := func(name string, times int) {
		t.Helper()
		took := eventually(t, name+" is created", func() bool {
			return strings.Count(unwrapped(i.said()), "cluster/"+name+": create finished") >= times
		})
		t.Logf("after %s", took)
	}
	created("dev-a", 1)
	commit("stuck", "dev-a", "dev-b")
	created("dev-b", 1)
	f.e.Podman(t, "rm", "-f", "-t", "0", "dev-a-control-plane")
	created("dev-a", 2)
	if status := f.ovi(0, "status"); !strings.Contains(status, "cluster/stuck: creating for ") {
		t.Errorf("it is not in flight any more:\n%s", status)
	}
	out, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0) // fails where nothing reads it
	if err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	created("stuck", 1)
}
