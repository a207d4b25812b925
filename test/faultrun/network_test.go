package faultrun

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/ovi-project/ovi/internal/etcdtest"
)

// network lies between the instances, the members and the cloud, and can be cut.
type network interface {
	// hosts are where the members run. It is called once, first.
	hosts(members int) []etcdtest.Host
	// endpoints are the members' addresses for an instance, and command runs it on its host.
	endpoints(instance int, members []*etcdtest.Server) []string
	command(instance int, program string, args ...string) *exec.Cmd
	// listen is where the cloud can be reached by instances. It is never cut off.
	listen() net.Listener
	// named is called with the members' names.
	named(ids []string)

	// cut drops what an instance sends to the store (there) and what the store sends to the
	// instance (back). isolate does the same for what a member sends to the other members (out)
	// and they to it (in). Directions that are false are healed.
	cut(instance int, there, back bool)
	isolate(member int, out, in bool)
	// oneWay reports whether isolate can separate out from in.
	oneWay() bool
}

// netEnv chooses the network: "namespaces" (or fail), "proxies"; else namespaces where they
// work. netInside is set in the process that is the router of the namespaces.
const (
	netEnv    = "OVI_FAULTS_NET"
	netInside = "inside"
)

// networked runs a test whose partitions are real where that is possible: in a process of its
// own in a network namespace without a route out, whose sub-namespaces are the hosts. Elsewhere
// proxies block what is sent. The log names the kind.
func networked(t *testing.T, run func(*testing.T, network)) {
	t.Helper()
	switch want := os.Getenv(netEnv); want {
	case netInside:
		n, err := newNamespaces()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.close)
		run(t, n)
	case "", "namespaces":
		why := namespacesWork()
		if why == nil {
			t.Log("network: namespaces; partitions drop packets")
			inside(t)
			return
		}
		if want != "" {
			t.Fatal(why)
		}
		t.Logf("network: FELL BACK TO PROXIES, no packet is dropped: %v", why)
		run(t, newProxies(t))
	case "proxies":
		t.Log("network: proxies, chosen by " + netEnv)
		run(t, newProxies(t))
	default:
		t.Fatalf("%s is %q: it may be namespaces or proxies", netEnv, want)
	}
}

// proxies are the network on one host's loopback.
type proxies struct {
	t       testing.TB
	peers   []*proxy // before each member, for the other members
	clients [][]*proxy
	ids     []string
}

func newProxies(t testing.TB) *proxies { return &proxies{t: t} }

func (p *proxies) hosts(members int) []etcdtest.Host {
	hosts := etcdtest.Loopback(p.t, members)
	for i := range hosts {
		via := newProxy(p.t, hosts[i].Peer)
		p.peers = append(p.peers, via)
		hosts[i].Via = via.addr
	}
	return hosts
}

func (p *proxies) endpoints(instance int, members []*etcdtest.Server) (out []string) {
	for len(p.clients) <= instance {
		p.clients = append(p.clients, nil)
	}
	for _, m := range members {
		via := newProxy(p.t, m.Endpoint)
		p.clients[instance] = append(p.clients[instance], via)
		out = append(out, via.addr)
	}
	return out
}

func (*proxies) command(_ int, program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}

func (p *proxies) listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

func (p *proxies) named(ids []string) { p.ids = ids }
func (*proxies) oneWay() bool         { return false }

func (p *proxies) cut(instance int, there, back bool) {
	rule := func(on bool) func(string) bool {
		if on {
			return always
		}
		return never
	}
	for _, via := range p.clients[instance] {
		via.set(rule(there), rule(back))
	}
}

func (p *proxies) isolate(member int, out, in bool) {
	if out != in {
		panic(fmt.Sprint("proxies cut members off both ways, not ", out, in))
	}
	from := func(id string) bool { return id == p.ids[member] }
	whole := always
	if !out {
		from, whole = never, never
	}
	for i, via := range p.peers {
		if i == member {
			via.set(whole, whole)
		} else {
			via.set(from, from)
		}
	}
}
