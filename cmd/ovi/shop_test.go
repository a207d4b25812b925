package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

// shop is a copy of the example, and a Podman to run it on.
type shop struct {
	t    *testing.T
	host *podmantest.Host
	dir  string // with the chart in it
	port int
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, host: podmantest.Start(t), dir: t.TempDir(), port: freePort(t)}
	images := exec.Command("../../examples/shop/images")
	images.Env = s.host.Env()
	if out, err := images.CombinedOutput(); err != nil {
		t.Fatalf("examples/shop/images: %v\n%s", err, out)
	}
	if err := os.CopyFS(filepath.Join(s.dir, "shop"), os.DirFS("../../examples/shop")); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs ovi on the shop, and checks its exit code.
func (s *shop) run(want string, args ...string) string {
	s.t.Helper()
	cmd := ovi(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, "CONTAINER_HOST=unix://"+s.host.Socket)
	out, err := cmd.CombinedOutput()
	code := "0"
	if err != nil {
		code = exitText(err)
	}
	if code != want {
		s.t.Fatalf("ovi %s: exit code %s, not %s\n%s", strings.Join(args, " "), code, want, out)
	}
	return string(out)
}

func (s *shop) prints(want string, args ...string) {
	s.t.Helper()
	if out := s.run("0", args...); !strings.Contains(out, want) {
		s.t.Errorf("ovi %s does not print %q:\n%s", strings.Join(args, " "), want, out)
	}
}

func (s *shop) set(port int) string { return fmt.Sprintf("web.port=%d", port) }

// answers is what the shop serves.
func (s *shop) answers(port int, path, want string) {
	s.t.Helper()
	eventually(s.t, "the shop answers "+path, func() bool {
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
		if err != nil {
			return false
		}
		defer func() { _ = r.Body.Close() }()
		b, err := io.ReadAll(r.Body)
		return err == nil && strings.Contains(string(b), want)
	})
}

// freePort is a port that no other test is given. It is below those that the system gives to connections, and to who
// listens at any port.
func freePort(t *testing.T) int {
	t.Helper()
	for {
		port := 12_000 + int(ports.Add(1))
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
}

// ports counts those given.
var ports atomic.Int32

// TestTheShopOnPodman: the example chart is applied in the order of its needs, and then nothing
// is to do; it runs beside another namespace of its own; a manifest that is removed is pruned.
func TestTheShopOnPodman(t *testing.T) {
	s := newShop(t)
	s.prints("Apply complete: 11 created.", "apply", "shop", "--auto-approve", "--set", s.set(s.port))
	s.answers(s.port, "/cgi-bin/window", "In stock: 12 apples")
	s.prints("No changes. 11 unchanged.", "plan", "shop", "--set", s.set(s.port))

	second := freePort(t)
	s.prints("Apply complete: 11 created.", "apply", "shop", "--auto-approve", "--namespace", "dev", "--set", s.set(second))
	s.answers(second, "/cgi-bin/window", "In stock: 12 apples")
	s.prints("No changes. 11 unchanged.", "plan", "shop", "--namespace", "dev", "--set", s.set(second))
	s.prints("No changes. 11 unchanged.", "plan", "shop", "--set", s.set(s.port))

	if err := os.Remove(filepath.Join(s.dir, "shop", "templates", "web.yaml")); err != nil {
		t.Fatal(err)
	}
	s.prints("1 deleted", "apply", "shop", "--auto-approve")
	s.prints("container/dev-web", "status", "--data-dir", ".ovi-shop", "--stack", "dev.shop")
	if _, err := os.Stat(filepath.Join(s.dir, ".ovi-shop")); err != nil {
		t.Error(err)
	}
}
