package main

import (
	"strings"
	"testing"
)

// TestTwoDataDirectoriesOnOneHost: stacks of the same name that do not know each other do not touch what
// the other one made, and say whose it is.
func TestTwoDataDirectoriesOnOneHost(t *testing.T) {
	one := newPod(t)
	one.configure("1", true)
	one.run(0, "apply", "--auto-approve")
	two := &podSite{t: t, host: one.host, dir: t.TempDir(), port: freePort(t)}
	two.configure("2", true)
	before := one.host.Podman(t, "ps", "-aq", "--no-trunc")
	for _, do := range [][]string{{"plan"}, {"apply", "--auto-approve"}} {
		out := strings.Join(strings.Fields(two.run(7, do...)), " ")
		for _, want := range []string{"! network/front conflict:", "! container/web conflict:", "of stack shop, but no record proves that ovi created it", "run `ovi adopt container/web"} {
			if !strings.Contains(out, want) {
				t.Errorf("ovi %s does not say %q:\n%s", do[0], want, out)
			}
		}
	}
	if after := one.host.Podman(t, "ps", "-aq", "--no-trunc"); after != before {
		t.Errorf("the containers were %s, and are %s", before, after)
	}
	one.serving("1")
}
