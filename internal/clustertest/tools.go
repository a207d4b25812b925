package clustertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/built"
	"github.com/ovi-project/ovi/provider/cluster/kind"
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
		lost, stays := kind.LostOutput(errors.New(said.String()))
		if name := slices.Index(args, "--name") + 1; stays && name > 0 {
			e.Run(t, kubeconfig, program, "delete", "cluster", "--name", args[name])
		}
		if try == 3 || !lost {
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
