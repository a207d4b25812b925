package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestANetworkOfAnotherStacksContainerIsNotDeleted: Podman refuses it, so the plan does, before anything is deleted.
func TestANetworkOfAnotherStacksContainerIsNotDeleted(t *testing.T) {
	s := newPod(t)
	stack := func(name, resources string) string {
		dir := filepath.Join(s.dir, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeConfig(t, dir, "version: v1\nprovider: podman\nstack: "+name+"\nresources:\n"+resources)
		return filepath.Join(name, "ovi.yaml")
	}
	const lan, web = "  - {type: network, name: lan}\n", "  - {type: container, name: web, image: 'localhost/app:1', networks: [lan]}\n"
	run := func(code int, want string, args ...string) {
		t.Helper()
		out := strings.Join(strings.Fields(s.run(code, append(args, "--data-dir", "data")...)), " ")
		if !strings.Contains(out, want) {
			t.Errorf("%s: %s", want, out)
		}
	}
	net := stack("net", lan+"  - {type: network, name: other}\n")
	app := stack("app", "  - {type: network, name: lan, lookup: {stack: net, ref: network/lan}}\n"+web)
	run(0, "2 created", "apply", "--auto-approve", net)
	run(0, "1 created", "apply", "--auto-approve", app)
	stack("net", "  - {type: network, name: other}\n")
	run(6, "container/web of stack app uses it, and this plan does not delete it before", "apply", "--auto-approve", net)
	run(6, "1 deleted, 1 blocked", "destroy", "--auto-approve", net)
	run(0, "1 deleted", "destroy", "--auto-approve", app)
	run(0, "1 deleted", "destroy", "--auto-approve", net)
}
