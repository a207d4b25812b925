package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestExclusiveThingsOfContainersChangeHands: on a real Podman, one apply moves ports, networks and names from one
// resource to another, also where each waits for the next, and a second apply has nothing to do (findings, containers 1).
func TestExclusiveThingsOfContainersChangeHands(t *testing.T) {
	s := newPod(t)
	container := func(name, rest string) string {
		return "  - {type: container, name: " + name + ", image: 'localhost/app:1'" + rest + "}\n"
	}
	at := func(offset int) string {
		return fmt.Sprintf(", ports: [{container_port: 80, host_port: %d, host_ip: 127.0.0.1}]", s.port+offset)
	}
	network := func(name string) string { return "  - {type: network, name: " + name + ", subnet: 10.77.19.0/24}\n" }
	for _, x := range []struct{ name, before, after string }{
		{"two ports exchanged", container("a", at(0)) + container("b", at(1)), container("a", at(1)) + container("b", at(0))},
		{
			"three ports rotated",
			container("a", at(0)) + container("b", at(1)) + container("c", at(2)),
			container("a", at(1)) + container("b", at(2)) + container("c", at(0)),
		},
		{"a port moved", container("a", at(0)) + container("b", ""), container("a", "") + container("b", at(0))},
		{"a container renamed", container("old", at(0)), container("new", at(0))},
		{
			"a network renamed",
			network("n") + container("a", ", networks: [n]"), network("m") + container("a", ", networks: [m]"),
		},
		{
			"a container moved into a pod",
			container("a", at(0)), "  - {type: pod, name: p" + at(0) + "}\n" + container("a", ", pod: p"),
		},
		{
			"a container moved out of its pod",
			"  - {type: pod, name: p" + at(0) + "}\n" + container("a", ", pod: p"), container("a", at(0)),
		},
	} {
		stack := "version: v1\nprovider: podman\nstack: hands\nresources:\n"
		writeConfig(t, s.dir, stack+x.before)
		s.run(0, "apply", "--auto-approve")
		writeConfig(t, s.dir, stack+x.after)
		s.run(0, "apply", "--auto-approve")
		if out := s.run(0, "plan"); !strings.Contains(out, "No changes.") {
			t.Errorf("%s: after one apply there is something left:\n%s", x.name, out)
		}
		writeConfig(t, s.dir, strings.Replace(stack, "resources:\n", "resources: []\n", 1))
		s.run(0, "apply", "--auto-approve")
	}
}
