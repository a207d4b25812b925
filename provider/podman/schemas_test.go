package podman_test

import (
	"testing"

	"github.com/ovi-project/ovi/provider/podman"
)

// TestSchemasAreMadeOnce: plans and actions look up a schema for each resource. Making all of them each time took 70 %
// of the CPU of an apply of 500 instances.
func TestSchemasAreMadeOnce(t *testing.T) {
	p := podman.New(podman.Options{})
	if a, b := p.Kinds(), p.Kinds(); &a[0] != &b[0] {
		t.Error("two calls of Kinds made two lists")
	}
}
