package link

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc/peer"
)

// Limits of connections that have not proven who they are. Each of them takes a file of the process.
const (
	strangers     = 64
	strangersEach = 32 // of one address
	strangerTime  = 15 * time.Second
)

// Guard limits the connections of a listener that have not proven who they are, in number and time. It closes
// further connections at once, and their nodes dial again.
func Guard(l net.Listener) net.Listener { return &guard{Listener: l, from: map[string]int{}} }

type guard struct {
	net.Listener

	mu   sync.Mutex
	all  int
	from map[string]int // by address
}

// guarded is a connection of a guard. It is the address of the other end too, so that a session finds it.
type guarded struct {
	net.Conn
	g     *guard
	host  string
	once  sync.Once
	mu    sync.Mutex // guards timer, which can fire before it is set
	timer *time.Timer
}

// end is the address of the other end.
type end struct {
	net.Addr
	conn *guarded
}

// Accept implements net.Listener.
func (g *guard) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
		if err != nil {
			host = conn.RemoteAddr().String()
		}
		if !g.enter(host) {
			_ = conn.Close()
			continue
		}
		c := &guarded{Conn: conn, g: g, host: host}
		c.start()
		return c, nil
	}
}

func (g *guard) enter(host string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all >= strangers || g.from[host] >= strangersEach {
		return false
	}
	g.all++
	g.from[host]++
	return true
}

// leave ends the time of a stranger: it has proven who it is, or is gone.
func (c *guarded) leave() {
	c.once.Do(func() {
		c.g.mu.Lock()
		defer c.g.mu.Unlock()
		c.g.all--
		if c.g.from[c.host]--; c.g.from[c.host] == 0 {
			delete(c.g.from, c.host)
		}
	})
}

// start starts the time of a stranger.
func (c *guarded) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(strangerTime, func() { _ = c.Close() })
}

// stop stops the time of a stranger; false if it was over or stopped already.
func (c *guarded) stop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer.Stop()
}

// Close implements net.Conn.
func (c *guarded) Close() error {
	c.leave()
	c.stop()
	return c.Conn.Close()
}

// RemoteAddr implements net.Conn.
func (c *guarded) RemoteAddr() net.Addr { return end{c.Conn.RemoteAddr(), c} }

// Proven frees the place of the connection of a session: its other end has proven who it is.
func Proven(ctx context.Context) {
	if p, ok := peer.FromContext(ctx); ok {
		prove(p.Addr)
	}
}

func prove(at net.Addr) {
	if e, ok := at.(end); ok && e.conn.stop() {
		e.conn.leave()
	}
}
