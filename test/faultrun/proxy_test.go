package faultrun

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// proxy forwards to a server and can block what goes through it, like a network that drops packets:
// connections stay open, nothing arrives, and what was sent arrives late.
type proxy struct {
	addr, target string
	listener     net.Listener

	mu    sync.Mutex
	free  *sync.Cond
	there func(from string) bool // block towards the server
	back  func(from string) bool
	conns map[net.Conn]bool
}

func never(string) bool  { return false }
func always(string) bool { return true }

func newProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), target: target, listener: l, there: never, back: never, conns: map[net.Conn]bool{}}
	p.free = sync.NewCond(&p.mu)
	go p.accept()
	t.Cleanup(func() {
		l.Close()
		p.set(never, never)
		p.reset()
	})
	return p
}

// set sets what is blocked from now on, by the member at the client's end.
func (p *proxy) set(there, back func(from string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.there, p.back = there, back
	p.free.Broadcast()
}

// reset breaks all connections.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) keep(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
}

func (p *proxy) drop(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(client)
	}
}

func (p *proxy) serve(client net.Conn) {
	p.keep(client)
	defer p.drop(client)
	server, err := net.DialTimeout("tcp", p.target, 2*time.Second)
	if err != nil {
		return
	}
	p.keep(server)
	defer p.drop(server)
	var who sync.Map // "from": the member at the client's end, once it is known
	var both sync.WaitGroup
	both.Go(func() { p.pump(server, client, &who, true) })
	both.Go(func() { p.pump(client, server, &who, false) })
	both.Wait()
}

// pump copies until an end closes, and pauses while it is blocked.
func (p *proxy) pump(to, from net.Conn, who *sync.Map, there bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if there {
			sniff(buf[:n], who)
		}
		p.pass(who, there)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) pass(who *sync.Map, there bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		from := ""
		if v, ok := who.Load("from"); ok {
			from = v.(string)
		}
		if held := p.back; !there && !held(from) || there && !p.there(from) {
			return
		}
		p.free.Wait()
	}
}

// sniff finds out which member of the cluster sends, from the header that etcd's members put
// on the first request of a connection.
func sniff(b []byte, who *sync.Map) {
	_, rest, found := bytes.Cut(b, []byte("X-Server-From: "))
	if !found {
		return
	}
	if id, _, whole := bytes.Cut(rest, []byte("\r\n")); whole {
		who.LoadOrStore("from", string(id))
	}
}

func TestAProxyBlocksAndResumes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c) }()
		}
	}()
	p := newProxy(t, l.Addr().String())
	c, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	echo := func(within time.Duration) error {
		if _, err := c.Write([]byte("x")); err != nil {
			return err
		}
		_ = c.SetReadDeadline(time.Now().Add(within))
		_, err := c.Read(make([]byte, 1))
		return err
	}
	if err := echo(time.Minute); err != nil {
		t.Fatal(err)
	}
	p.set(always, never)
	if err := echo(300 * time.Millisecond); err == nil {
		t.Error("something arrived while it was blocked")
	}
	p.set(never, never)
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Errorf("what was blocked never arrived: %v", err)
	}
}
