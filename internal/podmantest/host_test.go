package podmantest_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

// TestHostsAreApart: two hosts at a time share neither containers nor addresses, and each pulls
// from its own registry.
func TestHostsAreApart(t *testing.T) {
	a, b := podmantest.Start(t), podmantest.Start(t)
	a.Podman(t, "run", "-d", "--name", "web", podmantest.Image)
	b.Podman(t, "run", "-d", "--name", "web", podmantest.Image)
	if out := a.Read(t, "web", "env"); !strings.Contains(out, "FROM_IMAGE=yes") {
		t.Errorf("the image sets no FROM_IMAGE: %s", out)
	}
	const format = "{{.NetworkSettings.IPAddress}}"
	ipA, ipB := a.Podman(t, "inspect", "-f", format, "web"), b.Podman(t, "inspect", "-f", format, "web")
	if ipA == "" || ipA == ipB {
		t.Errorf("the addresses are %q and %q", ipA, ipB)
	}
	a.Podman(t, "push", podmantest.Image, a.Registry+"/shop/bb:9")
	a.Podman(t, "pull", "shop/bb:9")
	if out, err := b.Try("", "pull", "shop/bb:9"); err == nil {
		t.Errorf("the other host pulled it too: %s", out)
	}
	a.Reset(t)
	if left := a.Podman(t, "ps", "-aq"); left != "" {
		t.Errorf("after a reset %s is left", left)
	}
	if kept := b.Podman(t, "ps", "-q"); kept == "" {
		t.Error("the reset of one host stopped the other's container")
	}
}
