package main

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/haproxytest"
)

const routedCluster = `version: v1
stack: fleet
provider: cluster
resources:
  - type: cluster
    name: dev-a
    spec: {provider: kind, image: ` + clustertest.QuickImage + `, node_port: 30081}
  - type: haproxy_route
    name: dev-a
    location: haproxy
    address: ${cluster/local/cluster/dev-a.server_ip}
    port: 30081
`

// TestARouteFollowsItsCluster, with no reload: the cluster stops, another container gets its address, and it
// starts with a new one. Kind, Podman and HAProxy are real, and what answers behind the port of the node is not.
func TestARouteFollowsItsCluster(t *testing.T) {
	f := &clusterSite{t: t, e: clustertest.Quick(t), dir: t.TempDir(), proxy: haproxytest.Start(t)}
	writeConfig(t, f.dir, routedCluster)
	f.shows(f.ovi(0, "apply", "--auto-approve"), "haproxy_route/dev-a", "Apply complete: 2 created.")
	f.answers("whoami.dev-a.example.com", "dev-a-control-plane")
	f.shows(f.ovi(0, "plan"), "No changes. 2 unchanged.")
	reloads := f.proxy.Reloads()

	address := f.address("dev-a-control-plane")
	f.e.Podman(t, "stop", "dev-a-control-plane")
	f.e.Podman(t, "run", "-d", "--name", "thief", "--network", "kind", "--ip", address, clustertest.HangsImage)
	f.shows(f.ovi(0, "apply", "--auto-approve"), "Apply complete: 2 updated.")
	if now := f.address("dev-a-control-plane"); now == address {
		t.Fatal("the address did not change")
	}
	f.answers("whoami.dev-a.example.com", "dev-a-control-plane")
	f.shows(f.ovi(0, "plan"), "No changes. 2 unchanged.")
	if n := f.proxy.Reloads() - reloads; n != 0 {
		t.Errorf("the changed address cost %d reloads", n)
	}

	f.proxy.Stop()
	f.shows(f.ovi(4, "plan"), "is unreachable", "cannot reach HAProxy")
}

// TestARenamedClusterAndItsRouteStay: kind, Podman and HAProxy are real. A cluster and a route that get other names keep
// their containers and the host names that lead to them; no delete, create or reload follows.
func TestARenamedClusterAndItsRouteStay(t *testing.T) {
	f := &clusterSite{t: t, e: clustertest.Quick(t), dir: t.TempDir(), proxy: haproxytest.Start(t)}
	writeConfig(t, f.dir, routedCluster)
	f.shows(f.ovi(0, "apply", "--auto-approve"), "Apply complete: 2 created.")
	reloads, id := f.proxy.Reloads(), f.e.Podman(t, "inspect", "-f", "{{.Id}}", "dev-a-control-plane")

	renamed := strings.ReplaceAll(routedCluster, "name: dev-a\n", "name: dev-b\n    was: dev-a\n")
	writeConfig(t, f.dir, strings.ReplaceAll(renamed, "cluster/dev-a.server_ip", "cluster/dev-b.server_ip"))
	f.shows(f.ovi(0, "apply", "--auto-approve"), "Apply complete: 2 renamed.")
	f.shows(f.ovi(0, "plan"), "No changes. 2 unchanged.")
	f.answers("whoami.dev-a.example.com", "dev-a-control-plane")
	if now := f.e.Podman(t, "inspect", "-f", "{{.Id}}", "dev-a-control-plane"); now != id {
		t.Errorf("the container is %s, was %s", now, id)
	}
	if n := f.proxy.Reloads() - reloads; n != 0 {
		t.Errorf("the rename cost %d reloads", n)
	}
}

// TestTheRoutesOfOneApplyCostOneReload: six that are new, and six that go; their new addresses cost none.
func TestTheRoutesOfOneApplyCostOneReload(t *testing.T) {
	proxy := haproxytest.Start(t)
	dir := t.TempDir()
	to := proxy.Folder
	apply := func(done string, reloads int, resources string) {
		t.Helper()
		writeConfig(t, dir, "version: v1\nstack: fleet\nprovider: cluster\nresources:"+resources)
		before := proxy.Reloads()
		cmd := ovi(t, dir, "apply", "--auto-approve")
		cmd.Env = append(cmd.Env, "OVI_CLUSTER_HAPROXY="+to.Path, "OVI_CLUSTER_HAPROXY_SOCKET="+to.Socket, "OVI_CLUSTER_HAPROXY_MASTER="+to.Master)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Apply complete: "+done) {
			t.Fatalf("%v, not %q:\n%s", err, done, out)
		}
		if n := proxy.Reloads() - before; n != reloads {
			t.Errorf("%s: %d reloads, want %d", done, n, reloads)
		}
	}
	routes := func(port string) (out string) {
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			out += "\n  - {type: haproxy_route, name: " + name + ", location: haproxy, address: 127.0.0.1, port: " + port + "}"
		}
		return out + "\n"
	}
	apply("6 created.", 1, routes("30080"))
	apply("6 updated.", 0, routes("30081"))
	apply("6 deleted.", 1, " []\n")
}

func (f *clusterSite) address(container string) string {
	f.t.Helper()
	return f.e.Podman(f.t, "inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", container)
}

// answers: HAProxy leads a host name to a node.
func (f *clusterSite) answers(host, node string) {
	f.t.Helper()
	if status, body := f.proxy.Get(host); !strings.HasPrefix(body, node+" answers ") {
		f.t.Errorf("%s: %d %s", host, status, body)
	}
}
