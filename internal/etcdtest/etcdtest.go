// Package etcdtest starts real etcd servers for tests, on loopback unless told otherwise, each
// in a directory of its own. The server is built once from the module that tools/etcd pins; a
// test that needs it fails where it cannot be built.
package etcdtest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/internal/built"
)

// Server is a running member.
type Server struct {
	Endpoint string // host:port
	Room     string // begins all prefixes of a test on a shared server, else empty
	args     []string
	bin      string
	command  func(program string, args ...string) *exec.Cmd
	cmd      *exec.Cmd
	log      string
	trust    *tls.Config // nil means no TLS
}

// startWait is how long a server may take to answer after its start.
const startWait = time.Minute

// Start runs a single-member cluster until the test ends.
func Start(t testing.TB, extra ...string) *Server {
	t.Helper()
	return Cluster(t, 1, extra...)[0]
}

// Cluster runs a cluster of n members until the test ends.
func Cluster(t testing.TB, n int, extra ...string) []*Server {
	t.Helper()
	return ClusterOn(t, Loopback(t, n), extra...)
}

// Loopback are n hosts on this machine's loopback.
func Loopback(t testing.TB, n int) []Host {
	t.Helper()
	var ports []int
	for range 2 * n {
		port, err := reserve(t)
		if err != nil {
			t.Fatalf("reserve a port for etcd: %v", err)
		}
		ports = append(ports, port)
	}
	hosts := make([]Host, n)
	for i := range hosts {
		peer := fmt.Sprintf("127.0.0.1:%d", ports[2*i+1])
		hosts[i] = Host{Client: fmt.Sprintf("127.0.0.1:%d", ports[2*i]), Peer: peer, Via: peer}
	}
	return hosts
}

// Host is where a member runs.
type Host struct {
	Client, Peer string                                         // host:port that it listens on
	Via          string                                         // where the other members reach Peer: a proxy, say
	Command      func(program string, args ...string) *exec.Cmd // nil means exec.Command
}

// ClusterOn runs a member on each of the hosts until the test ends.
func ClusterOn(t testing.TB, hosts []Host, extra ...string) []*Server {
	t.Helper()
	return cluster(t, plan{hosts: hosts, extra: func(int) []string { return extra }})
}

// plan describes a cluster.
type plan struct {
	hosts []Host
	trust *tls.Config          // of clients of the members; nil means no TLS
	extra func(i int) []string // arguments of a member
}

func cluster(t testing.TB, p plan) []*Server {
	t.Helper()
	scheme := "http://"
	if p.trust != nil {
		scheme = "https://"
	}
	bin := built.Tool(t, built.Program{Name: "etcd", Folder: "tools/etcd", Package: "go.etcd.io/etcd/server/v3"})
	peers, members := make([]string, len(p.hosts)), make([]*Server, len(p.hosts))
	for i, h := range p.hosts {
		peers[i] = fmt.Sprintf("m%d=http://%s", i, h.Via)
	}
	for i, h := range p.hosts {
		dir := t.TempDir()
		s := &Server{Endpoint: h.Client, bin: bin, log: filepath.Join(dir, "log"), trust: p.trust, command: h.Command}
		if s.command == nil {
			s.command = exec.Command
		}
		s.args = append([]string{
			"--name", fmt.Sprintf("m%d", i), "--data-dir", filepath.Join(dir, "data"),
			"--listen-client-urls", scheme + s.Endpoint, "--advertise-client-urls", scheme + s.Endpoint,
			"--listen-peer-urls", "http://" + h.Peer, "--initial-advertise-peer-urls", "http://" + h.Via,
			"--initial-cluster", strings.Join(peers, ","), "--log-level", "error", "--log-outputs", s.log,
			"--heartbeat-interval", "50", "--election-timeout", "500", "--socket-reuse-port",
		}, p.extra(i)...)
		s.start(t)
		t.Cleanup(s.Kill)
		members[i] = s
	}
	for _, s := range members {
		s.await(t)
	}
	return members
}

// Kill ends the member at once, as a power cut of its host would.
func (s *Server) Kill() {
	s.signal(syscall.SIGKILL)
	if s.cmd != nil {
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// Pause stops the member's process; Continue resumes it.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Continue resumes a paused member.
func (s *Server) Continue() { s.signal(syscall.SIGCONT) }

// Restart starts a killed member on its data again and waits until it answers.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.start(t)
	s.await(t)
}

// PID is the process of a running member, 0 of a killed one.
func (s *Server) PID() int {
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

func (s *Server) signal(sig syscall.Signal) {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
	}
}

func (s *Server) start(t testing.TB) {
	t.Helper()
	s.cmd = s.command(s.bin, s.args...)
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("start etcd: %v", err)
	}
}

func (s *Server) await(t testing.TB) {
	t.Helper()
	c := s.connect(t, "")
	defer func() { _ = c.Close() }() // only read from
	ctx, cancel := context.WithTimeout(t.Context(), startWait)
	defer cancel()
	if _, err := c.Get(ctx, "ready"); err != nil && !errors.Is(err, rpctypes.ErrUserEmpty) {
		out, _ := os.ReadFile(s.log)
		t.Fatalf("etcd at %s does not answer: %v\n%s", s.Endpoint, err, out)
	}
}

// reserve reserves a port until the test ends: a socket stays bound to it and listens to
// nothing, so that no other process gets it on any address, before a member listens there or
// while it is killed. A member shares the port: --socket-reuse-port.
func reserve(t testing.TB) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return 0, err
	}
	unix.CloseOnExec(fd)
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{}); err != nil {
		return 0, err
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	return at.(*unix.SockaddrInet4).Port, nil
}
