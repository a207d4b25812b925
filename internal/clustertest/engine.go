package clustertest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

// The images of nodes. The quick ones have a fake API server; in Hangs the creation of a cluster never
// ends.
const (
	Image      = "localhost/ovi-node:1"
	QuickImage = "localhost/ovi-quick:1"
	HangsImage = "localhost/ovi-hangs:1"

	K3sImage      = "localhost/ovi-k3s:1"
	QuickK3sImage = "localhost/ovi-quick-k3s:1"
	balancerImage = "localhost/ovi-balancer:1"
	toolsImage    = "localhost/ovi-tools:1"
)

// Engine is a Podman that clusters are created on.
type Engine struct {
	*podmantest.Host
	// Bin is a folder with kind and k3d, and with a podman that uses this engine.
	Bin string
}

// Quick starts an engine with the quick images.
func Quick(t testing.TB) *Engine {
	t.Helper()
	return start(t, false)
}

// Start starts an engine with all images.
func Start(t testing.TB) *Engine {
	t.Helper()
	return start(t, true)
}

func start(t testing.TB, real bool) *Engine {
	t.Helper()
	e := &Engine{Host: podmantest.Start(t), Bin: t.TempDir()}
	for name, path := range map[string]string{"kind": Kind(t), "k3d": K3d(t)} {
		if err := os.Symlink(path, filepath.Join(e.Bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("/lib/modules", 0o755); err != nil { // kind mounts it
		t.Fatal(err)
	}
	program := read(t, standin(t))
	node := map[string]string{
		"usr/bin/entrypoint": program, "usr/bin/kubeadm": program, "usr/bin/kubectl": program,
		"kind/version": "v0.0.0\n", "kind/manifests/default-cni.yaml": "{}\n",
	}
	hangs := map[string]string{"kind/manifests/hang": ""}
	server := map[string]string{"bin/k3s": program, "var/lib/rancher/k3s/server/manifests/coredns.yaml": "{}\n"}
	servers := map[string]string{}
	if real {
		servers["usr/local/bin/etcd"], servers["usr/local/bin/kube-apiserver"] = read(t, etcd(t)), read(t, APIServer(t))
		e.image(t, Image, "entrypoint", node, servers)
		e.image(t, K3sImage, "k3s", server, servers)
	}
	e.image(t, QuickImage, "entrypoint", node)
	e.image(t, HangsImage, "entrypoint", node, hangs)
	e.image(t, QuickK3sImage, "k3s", server)
	e.image(t, balancerImage, "balancer", map[string]string{"usr/bin/balancer": program})
	e.image(t, toolsImage, "idle", map[string]string{"usr/bin/idle": program})
	return e
}

// image imports an image once in a storage, by what is in it.
func (e *Engine) image(t testing.TB, name, entrypoint string, parts ...map[string]string) {
	t.Helper()
	sum, files := sha256.New(), map[string]string{}
	for _, p := range parts {
		for path, content := range p {
			files[path] = content
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(sum, "%s %d %x\n", path, len(files[path]), sha256.Sum256([]byte(files[path])))
	}
	_, _ = fmt.Fprintln(sum, entrypoint, podmantest.Applets())
	made := fmt.Sprintf("%x", sum.Sum(nil))
	if out, err := e.Try("", "image", "inspect", "-f", "{{.Labels.made}}", name); err == nil && out == made {
		return
	}
	e.Import(t, name, files, "LABEL made="+made, "ENV PATH=/usr/local/bin:/usr/bin:/bin",
		fmt.Sprintf("ENTRYPOINT [%q]", entrypoint))
}

// Env is the environment in which kind and k3d use this engine, and nothing of the user's.
func (e *Engine) Env() []string {
	return append(e.Host.Env(),
		"PATH="+e.Bin+":"+os.Getenv("PATH"), "HOME="+e.Dir, "DOCKER_HOST=unix://"+e.Socket, "DOCKER_SOCK="+e.Socket,
		"K3D_IMAGE_LOADBALANCER="+balancerImage, "K3D_IMAGE_TOOLS="+toolsImage, "K3D_FIX_DNS=0", "K3D_FIX_MOUNTS=0",
		"K3D_FIX_CGROUPV2=0",
		"KIND_EXPERIMENTAL_PROVIDER=podman")
}
