package clustertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/built"
)

// stripped makes a program small: it goes into an image.
func stripped() []string { return []string{"-trimpath", "-ldflags", "-s -w"} }

// Kind is the path of a real kind.
func Kind(t testing.TB) string {
	t.Helper()
	return built.Tool(t, built.Program{Name: "kind", Folder: "tools/kind", Package: "sigs.k8s.io/kind"})
}

// K3d is the path of a real k3d.
func K3d(t testing.TB) string {
	t.Helper()
	return built.Tool(t, built.Program{Name: "k3d", Folder: "tools/k3d", Package: "github.com/k3d-io/k3d/v5"})
}

// APIServer is the path of a real kube-apiserver. Building it takes more than ten minutes the first time.
func APIServer(t testing.TB) string {
	t.Helper()
	return built.Tool(t, built.Program{
		Name: "kube-apiserver", Folder: "tools/kube",
		Package: "k8s.io/kubernetes/cmd/kube-apiserver", Flags: stripped(),
	})
}

// lostOutput is how kind fails when Podman's exec lost what kind read in a node, which happens on a busy host.
const lostOutput = "file should only be one line, got 0 lines"

// Run runs kind or k3d as a user would, and returns what it prints. What only Podman's exec made fail is run again.
func (e *Engine) Run(t testing.TB, kubeconfig, program string, args ...string) string {
	t.Helper()
	for try := 1; ; try++ {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(e.Bin, program), args...)
		cmd.Env = append(e.Env(), "KUBECONFIG="+kubeconfig)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err == nil {
			return string(out)
		}
		if try == 3 || !strings.Contains(said.String(), lostOutput) {
			t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, &said)
		}
	}
}

func etcd(t testing.TB) string {
	t.Helper()
	return built.Tool(t, built.Program{Name: "etcd", Folder: "tools/etcd", Package: "go.etcd.io/etcd/server/v3"})
}

func standin(t testing.TB) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(built.Root(t), "internal/clustertest/standin", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return built.Tool(t, built.Program{
		Name: "standin", Folder: "internal/clustertest/standin", Package: ".",
		Sources: files, Flags: stripped(),
	})
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
