package link

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/peer"
)

// Limits of connections. Each of them takes a file of the process.
const (
	strangers     = 64 // that have not proven who they are
	strangersEach = 32 // of one address
	strangerTime  = 15 * time.Second
	provenEach    = 4 // that have proven that they have the same name
)

// Guard limits the connections of a listener: those that have not proven who they are in number and time, and the
// others for each name. Where there is no room, a further connection takes the place of an older one, so that
// silent connections keep no node out.
func Guard(l net.Listener) net.Listener {
	return &guard{Listener: l, strange: map[string][]*guarded{}, proven: map[string][]*guarded{}}
}

type guard struct {
	net.Listener

	mu      sync.Mutex
	count   uint64                // of all connections so far
	all     int                   // how many strangers there are
	strange map[string][]*guarded // strangers by address, the oldest first
	proven  map[string][]*guarded // the others by name, the oldest first
}

// guarded is a connection of a guard. It is the address of the other end too, so that a session finds it.
type guarded struct {
	net.Conn
	g      *guard
	host   string
	number uint64 // the older, the smaller; guarded by the guard, as is name
	name   string // "" of a stranger

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
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &guarded{Conn: conn, g: g, host: hostOf(conn.RemoteAddr())}
	c.start()
	if leaves := g.enter(c); leaves != nil {
		_ = leaves.Close()
	}
	return c, nil
}

// hostOf names the host of an address. A host with IPv6 has all addresses of a network, so its name is the network.
func hostOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := at.Addr().Unmap()
	if ip.Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// enter adds a stranger. It returns the one that leaves for it: the oldest of the same address, or of the address that
// has the most.
func (g *guard) enter(c *guarded) (leaves *guarded) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	g.all++
	c.number = g.count
	g.strange[c.host] = append(g.strange[c.host], c)
	if len(g.strange[c.host]) > strangersEach {
		return g.strange[c.host][0]
	}
	if g.all <= strangers {
		return nil
	}
	most := 0
	for _, of := range g.strange {
		if len(of) > most || len(of) == most && of[0].number < leaves.number {
			most, leaves = len(of), of[0]
		}
	}
	return leaves
}

// leave removes a connection that has ended.
func (g *guard) leave(c *guarded) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if remove(g.strange, c.host, c) {
		g.all--
	}
	remove(g.proven, c.name, c)
}

func remove(from map[string][]*guarded, key string, c *guarded) bool {
	i := slices.Index(from[key], c)
	if i < 0 {
		return false
	}
	if from[key] = slices.Delete(from[key], i, i+1); len(from[key]) == 0 {
		delete(from, key)
	}
	return true
}

// prove notes whose connection one is. It returns the oldest one of that name if there are too many.
func (g *guard) prove(c *guarded, name string) (leaves *guarded) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !remove(g.strange, c.host, c) {
		return nil
	}
	g.all--
	c.name = name
	if g.proven[name] = append(g.proven[name], c); len(g.proven[name]) > provenEach {
		return g.proven[name][0]
	}
	return nil
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
	c.g.leave(c)
	c.stop()
	return c.Conn.Close()
}

// RemoteAddr implements net.Conn.
func (c *guarded) RemoteAddr() net.Addr { return end{c.Conn.RemoteAddr(), c} }

// Proven frees the place of the connection of a session: its other end has proven that it has a name.
func Proven(ctx context.Context, name string) {
	if p, ok := peer.FromContext(ctx); ok {
		prove(p.Addr, name)
	}
}

func prove(at net.Addr, name string) {
	e, ok := at.(end)
	if !ok || !e.conn.stop() {
		return
	}
	if leaves := e.conn.g.prove(e.conn, name); leaves != nil {
		_ = leaves.Close()
	}
}
