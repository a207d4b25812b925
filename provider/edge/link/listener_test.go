package link

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// dials is a listener whose connections come from given addresses.
type dials struct{ from chan string }

type dialed struct {
	net.Conn
	addr net.Addr
}

func (d *dialed) RemoteAddr() net.Addr { return d.addr }

func (d dials) Accept() (net.Conn, error) {
	host, ok := <-d.from
	if !ok {
		return nil, net.ErrClosed
	}
	conn, _ := net.Pipe()
	return &dialed{Conn: conn, addr: &net.TCPAddr{IP: net.ParseIP(host), Port: 1}}, nil
}
func (dials) Close() error   { return nil }
func (dials) Addr() net.Addr { return &net.TCPAddr{} }

// accepting is a guard that accepts all that dial, and what became of them.
type accepting struct {
	t     *testing.T
	d     dials
	guard *guard
	conns chan net.Conn
}

func accept(t *testing.T) accepting {
	d := dials{make(chan string)}
	a := accepting{t, d, Guard(d).(*guard), make(chan net.Conn)}
	go func() {
		defer close(a.conns)
		for {
			conn, err := a.guard.Accept()
			if err != nil {
				return
			}
			a.conns <- conn
		}
	}()
	return a
}

// dial returns the orchestrator's end of a connection from a host.
func (a accepting) dial(host string) net.Conn {
	a.d.from <- host
	return <-a.conns
}

// open reports whether the orchestrator has not closed a connection.
func (a accepting) open(c net.Conn) bool {
	a.guard.mu.Lock()
	defer a.guard.mu.Unlock()
	g := c.(*guarded)
	return slices.Contains(a.guard.strange[g.host], g) || slices.Contains(a.guard.proven[g.name], g)
}

// strangers counts those that have not proven who they are. The guard's lock orders it against a timer, which ends one
// in a goroutine that nothing else orders.
func (a accepting) strangers() int {
	a.guard.mu.Lock()
	defer a.guard.mu.Unlock()
	n := 0
	for _, of := range a.guard.strange {
		n += len(of)
	}
	if n != a.guard.all {
		a.t.Errorf("%d strangers are counted as %d", n, a.guard.all)
	}
	return n
}

// proven counts the names that have proven connections.
func (a accepting) proven() int {
	a.guard.mu.Lock()
	defer a.guard.mu.Unlock()
	return len(a.guard.proven)
}

func (a accepting) end() {
	close(a.d.from)
	<-a.conns
	time.Sleep(strangerTime + time.Second) // until the timers have ended
}

// TestStrangersLeaveRoomForNodes dials 5,000 times from one address, and from each address of a network of IPv6, and says
// nothing. Nodes at another address and at the same one are accepted meanwhile, and stay.
func TestStrangersLeaveRoomForNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := accept(t)
		for i := range 5000 {
			a.dial("10.0.0.1")
			a.dial(fmt.Sprintf("2001:db8::%x", i+1))
			if n := a.strangers(); n > strangers {
				t.Fatalf("%d strangers are connected", n)
			}
		}
		same, other := a.dial("10.0.0.1"), a.dial("10.0.0.2")
		for range strangersEach - 1 {
			a.dial("10.0.0.1")
			a.dial("2001:db8::1")
		}
		if !a.open(same) || !a.open(other) {
			t.Error("a node was not given the time to say who it is")
		}
		prove(same.RemoteAddr(), "berlin/n1")
		prove(other.RemoteAddr(), "berlin/n2")
		for range 5000 {
			a.dial("10.0.0.1")
			a.dial("10.0.0.2")
		}
		time.Sleep(strangerTime + time.Second)
		if !a.open(same) || !a.open(other) {
			t.Error("a node that has proven who it is lost its connection")
		}
		if n := a.strangers(); n != 0 {
			t.Errorf("%d strangers are left after their time", n)
		}
		a.end()
	})
}

// TestStrangersOfManyAddressesLeaveRoom dials from many addresses: one that has a single connection keeps it longer than
// one that has many.
func TestStrangersOfManyAddressesLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := accept(t)
		node := a.dial("10.9.9.9")
		for i := range 60 {
			for range 3 {
				a.dial(fmt.Sprintf("10.0.0.%d", i))
			}
		}
		if n := a.strangers(); !a.open(node) || n != strangers {
			t.Errorf("open: %t, with %d strangers", a.open(node), n)
		}
		a.end()
	})
}

// TestANodeHasFewConnections lets one node open 5,000 connections, and prove each of them. The newest are kept, and
// another node keeps its own.
func TestANodeHasFewConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := accept(t)
		other := a.dial("10.0.0.1")
		prove(other.RemoteAddr(), "berlin/n2")
		var conns []net.Conn
		for range 5000 {
			c := a.dial("10.0.0.1")
			prove(c.RemoteAddr(), "berlin/n1")
			prove(c.RemoteAddr(), "berlin/n1")
			conns = append(conns, c)
		}
		for i, c := range conns {
			if newest := i >= len(conns)-provenEach; a.open(c) != newest {
				t.Fatalf("connection %d: open is %t", i, !newest)
			}
		}
		if n := a.strangers(); !a.open(other) || n != 0 {
			t.Errorf("the other node is connected: %t, and there are %d strangers", a.open(other), n)
		}
		for _, c := range append(conns, other) {
			_ = c.Close()
		}
		if n := a.proven(); n != 0 {
			t.Errorf("%d names are left", n)
		}
		a.end()
	})
}
