package clustertest_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
)

// cluster runs kind or k3d as a user would, and returns what it prints.
func cluster(t *testing.T, e *clustertest.Engine, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(e.Bin, program), args...)
	cmd.Env = append(e.Env(), "KUBECONFIG="+filepath.Join(t.TempDir(), "kubeconfig"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestKindAndK3dCreateClusters(t *testing.T) {
	e := clustertest.Quick(t)
	cluster(t, e, "kind", "create", "cluster", "--name", "a", "--image", clustertest.QuickImage)
	if out := cluster(t, e, "kind", "get", "clusters"); !strings.HasSuffix(out, "\na\n") {
		t.Errorf("kind lists %q", out)
	}
	cluster(t, e, "k3d", "cluster", "create", "b", "--image", clustertest.QuickK3sImage, "--kubeconfig-update-default=false", "--timeout", "60s")
	if out := cluster(t, e, "k3d", "cluster", "list", "--no-headers"); !strings.HasPrefix(out, "b ") {
		t.Errorf("k3d lists %q", out)
	}
	cluster(t, e, "kind", "delete", "cluster", "--name", "a")
	cluster(t, e, "k3d", "cluster", "delete", "b")
	if left := e.Podman(t, "ps", "-aq"); left != "" {
		t.Errorf("after the deletes %s is left", left)
	}
}
