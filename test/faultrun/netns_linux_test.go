package faultrun

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/internal/needs"
)

// namespaces are hosts with a network namespace each, and this process's own namespace is the
// router between them. A partition is a rule of the router that drops what one sends to the
// other, so each direction is separate. Namespaces have no names or files: each ends with its last
// process, and all processes end with this one. There is no route to any other network.
type namespaces struct {
	mu    sync.Mutex
	nodes []*node
	first int             // node of the first instance
	rules map[[2]int]bool // what is dropped, from and to
}

// node is a host: a process that does nothing keeps its namespace.
type node struct {
	addr string
	keep *exec.Cmd
}

// hub is the address of the router, where the cloud listens.
const hub = "10.77.0.1"

func newNamespaces() (*namespaces, error) {
	others, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	for _, i := range others {
		if i.Flags&net.FlagUp != 0 { // a new namespace has none that is up
			return nil, fmt.Errorf("%s is up: this is not a namespace of this test", i.Name)
		}
	}
	n := &namespaces{rules: map[[2]int]bool{}}
	if err := ip("link set lo up\naddr add " + hub + "/32 dev lo\n"); err != nil {
		return nil, err
	}
	return n, os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0)
}

// ip runs a batch of iproute2 commands.
func ip(lines string, in ...string) error {
	args := append(in, "ip", "-batch", "-")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(lines)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ip: %w: %s (of %q)", err, bytes.TrimSpace(out), lines)
	}
	return nil
}

// add makes a host.
func (n *namespaces) add() (*node, error) {
	cmd := exec.Command("sleep", "infinity")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	i := len(n.nodes) + 1
	one := &node{addr: fmt.Sprintf("10.77.%d.2", i), keep: cmd}
	n.nodes = append(n.nodes, one)
	err := ip(fmt.Sprintf("link add v%d type veth peer name eth0 netns %d\naddr add 10.77.%d.1/30 dev v%d\nlink set v%d up\n", i, cmd.Process.Pid, i, i, i))
	if err == nil {
		err = ip(fmt.Sprintf("link set lo up\naddr add %s/30 dev eth0\nlink set eth0 up\nroute add default via 10.77.%d.1\n", one.addr, i), one.enter()...)
	}
	return one, err
}

func (o *node) enter() []string {
	return []string{"nsenter", fmt.Sprintf("--net=/proc/%d/ns/net", o.keep.Process.Pid), "--"}
}

// command runs a program on the host, in the started process itself.
func (o *node) command(program string, args ...string) *exec.Cmd {
	all := append(append(o.enter(), program), args...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func (n *namespaces) close() {
	for _, o := range n.nodes {
		_ = o.keep.Process.Kill()
		_ = o.keep.Wait()
	}
}

func (n *namespaces) must(one *node, err error) *node {
	if err != nil {
		panic(err) // a run needs its network
	}
	return one
}

func (n *namespaces) hosts(members int) (out []etcdtest.Host) {
	for range members {
		one := n.must(n.add())
		out = append(out, etcdtest.Host{Client: one.addr + ":2379", Peer: one.addr + ":2380", Via: one.addr + ":2380", Command: one.command})
	}
	n.first = members
	return out
}

func (n *namespaces) endpoints(_ int, members []*etcdtest.Server) (out []string) {
	n.must(n.add())
	for _, m := range members {
		out = append(out, m.Endpoint)
	}
	return out
}

func (n *namespaces) command(instance int, program string, args ...string) *exec.Cmd {
	return n.nodes[n.first+instance].command(program, args...)
}

func (n *namespaces) listen() net.Listener {
	l, err := net.Listen("tcp", hub+":0")
	n.must(nil, err)
	return l
}

func (*namespaces) named([]string) {}
func (*namespaces) oneWay() bool   { return true }

func (n *namespaces) cut(instance int, there, back bool) {
	for m := range n.first {
		n.drop(n.first+instance, m, there)
		n.drop(m, n.first+instance, back)
	}
}

func (n *namespaces) isolate(member int, out, in bool) {
	for m := range n.first {
		if m != member {
			n.drop(member, m, out)
			n.drop(m, member, in)
		}
	}
}

// drop sets whether packets from one host to another are dropped.
func (n *namespaces) drop(from, to int, on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rules[[2]int{from, to}] == on {
		return
	}
	verb := "del"
	if on {
		verb = "add"
	}
	err := ip(fmt.Sprintf("rule %s from %s to %s priority %d blackhole\n", verb, n.nodes[from].addr, n.nodes[to].addr, 1000+100*from+to))
	n.must(nil, err)
	n.rules[[2]int{from, to}] = on
}

// namespacesWork returns why network namespaces are not available here, nil if they are.
func namespacesWork() error {
	if os.Geteuid() != 0 {
		return errors.New("only root makes network namespaces")
	}
	for _, tool := range []string{"ip", "nsenter", "sleep"} {
		if _, err := exec.LookPath(tool); err != nil {
			return err
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestNamespacesDropPackets$", "-test.v")
	cmd.Env = append(os.Environ(), netEnv+"="+netInside)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("network namespaces do not work here: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// inside runs this test again in a network namespace of its own.
func inside(t *testing.T) {
	t.Helper()
	args := []string{"-test.run", "^" + t.Name() + "$", "-test.v"}
	if end, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout", (time.Until(end) - 5*time.Second).String())
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), netEnv+"="+netInside, "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			t.Log(line)
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the run inside the namespaces: %v", err)
	}
}

// TestNamespacesDropPackets: packets between two hosts are dropped, each direction separately, on an
// established connection; and they arrive late once the partition ends.
func TestNamespacesDropPackets(t *testing.T) {
	if os.Getenv(netEnv) != netInside {
		if err := namespacesWork(); err != nil {
			needs.Missing(t, "fault runs fall back to proxies: %v", err)
		}
		t.Log("fault runs use network namespaces here")
		return
	}
	n, err := newNamespaces()
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	for range 2 {
		if _, err := n.add(); err != nil {
			t.Fatal(err)
		}
	}
	one, two := n.nodes[0].socket(t), n.nodes[1].socket(t)
	for i, step := range []struct{ there, back, answer bool }{
		{false, false, true}, {true, false, false}, {false, false, true}, {false, true, false}, {false, false, true}, {true, true, false},
	} {
		n.drop(0, 1, step.there)
		n.drop(1, 0, step.back)
		if got := answered(t, one, two, byte(i), step.answer); got != step.answer {
			t.Errorf("dropped there %v, back %v: an answer: %v, want %v", step.there, step.back, got, step.answer)
		}
	}
}

// socket is a datagram socket on the host.
func (o *node) socket(t *testing.T) *net.UDPConn {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	away, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", o.keep.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	if err := unix.Setns(int(away.Fd()), unix.CLONE_NEWNET); err != nil {
		t.Fatal(err)
	}
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(o.addr)})
	if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// answered sends until there is an answer: for long if one is expected, else briefly.
func answered(t *testing.T, one, two *net.UDPConn, question byte, expected bool) bool {
	t.Helper()
	end := time.Now().Add(300 * time.Millisecond)
	if expected {
		end = end.Add(20 * time.Second)
	}
	receive := func(c *net.UDPConn) bool {
		b := make([]byte, 1)
		for {
			_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			if n, err := c.Read(b); err != nil || n == 1 && b[0] == question {
				return err == nil
			}
		}
	}
	for time.Now().Before(end) {
		_, _ = one.WriteTo([]byte{question}, two.LocalAddr()) // lost or not: the answer shows it
		if receive(two) {
			_, _ = two.WriteTo([]byte{question}, one.LocalAddr())
			if receive(one) {
				return true
			}
		}
	}
	return false
}
