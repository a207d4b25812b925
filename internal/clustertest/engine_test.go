package clustertest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
)

func TestKindAndK3dCreateClusters(t *testing.T) {
	e, config := clustertest.Quick(t), filepath.Join(t.TempDir(), "kubeconfig")
	e.Run(t, config, "kind", "create", "cluster", "--name", "a", "--image", clustertest.QuickImage)
	if out := e.Run(t, config, "kind", "get", "clusters"); out != "a\n" {
		t.Errorf("kind lists %q", out)
	}
	e.Run(t, config, "k3d", "cluster", "create", "b", "--image", clustertest.QuickK3sImage, "--kubeconfig-update-default=false", "--timeout", "60s")
	if out := e.Run(t, config, "k3d", "cluster", "list", "--no-headers"); !strings.HasPrefix(out, "b ") {
		t.Errorf("k3d lists %q", out)
	}
	e.Run(t, config, "kind", "delete", "cluster", "--name", "a")
	e.Run(t, config, "k3d", "cluster", "delete", "b")
	if left := e.Podman(t, "ps", "-aq"); left != "" {
		t.Errorf("after the deletes %s is left", left)
	}
}
