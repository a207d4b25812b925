package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestExclusiveThingsOfDeploymentsChangeHands: on a real node with Podman, a renamed deployment keeps its container, two
// exchange their host ports, and a port moves to a new deployment from one that is removed.
func TestExclusiveThingsOfDeploymentsChangeHands(t *testing.T) {
	s := newEdgeSite(t)
	first := freePort(t)
	second := freePort(t)
	deployment := func(id string, port int, more string) string {
		return fmt.Sprintf("id: %s\nversion: \"1\"\nimage: localhost/app:1\nnodes: all\nports: [{container: 80, host: %d}]\n%s", id, port, more)
	}
	file := func(id string) string { return "deployments/berlin/" + id + ".yaml" }
	s.repo.Commit(map[string]string{
		"deployments/berlin/site.yaml": "nodes: [{name: n1}]\n", file("a"): deployment("a", first, ""),
		file("b"): deployment("b", second, ""),
	})
	s.orchestrator()
	s.enroll()
	publishes := func(what, want string) {
		t.Helper()
		got := ""
		defer s.onFailure(what+": the containers publish\n%s\nwant\n%s", &got, &want)
		eventually(t, what, func() bool {
			got, _ = s.host.Try("", "ps", "--format", "{{.Names}} {{.Ports}}", "--sort", "names")
			return got == want
		})
	}
	port := func(n int) string { return fmt.Sprintf("0.0.0.0:%d->80/tcp", n) }
	publishes("both run", "ovi-a "+port(first)+"\novi-b "+port(second))

	s.repo.Commit(map[string]string{file("a"): deployment("a", second, ""), file("b"): deployment("b", first, "")})
	publishes("their ports are exchanged", "ovi-a "+port(second)+"\novi-b "+port(first))

	id := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "ovi-b")
	s.repo.Commit(map[string]string{file("b"): "", file("c"): deployment("c", first, "was: b\n")})
	eventually(t, "the rename is on record", func() bool {
		return strings.Contains(s.read("audit", "log", "--type", "moved", "--output", "json"), `"renamed in the configuration"`)
	})
	if now := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "ovi-b"); now != id {
		t.Errorf("the renamed deployment has the container %s, had %s", now, id)
	}

	s.repo.Commit(map[string]string{file("c"): "", file("d"): deployment("d", first, "")})
	publishes("the port has another owner", "ovi-a "+port(second)+"\novi-d "+port(first))
	s.started("missing", "missing", "exchanged", "restarts", "missing", "unwanted", "missing")
}
