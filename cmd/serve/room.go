package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

// room limits the connections of a listener. Where it is full, a further one takes the place of the oldest that has
// no request in progress: connections that stay silent keep no scrape and no health check out.
type room struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*guest // the oldest first
}

// guest is a connection of a room.
type guest struct {
	net.Conn
	room *room
	busy bool // a request is in progress
}

// Accept implements net.Listener.
func (r *room) Accept() (net.Conn, error) {
	for {
		conn, err := r.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g, leaves := r.enter(conn)
		if leaves != nil {
			_ = leaves.Close()
		}
		if g != nil {
			return g, nil
		}
	}
}

// enter adds a connection. It returns the connection that was removed for it.
func (r *room) enter(conn net.Conn) (enters *guest, leaves net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open) >= r.most {
		i := slices.IndexFunc(r.open, func(g *guest) bool { return !g.busy })
		if i < 0 {
			return nil, conn
		}
		leaves = r.open[i].Conn
		r.open = slices.Delete(r.open, i, i+1)
	}
	g := &guest{Conn: conn, room: r}
	r.open = append(r.open, g)
	return g, leaves
}

// Close implements net.Conn.
func (g *guest) Close() error {
	g.room.mu.Lock()
	if i := slices.Index(g.room.open, g); i >= 0 {
		g.room.open = slices.Delete(g.room.open, i, i+1)
	}
	g.room.mu.Unlock()
	return g.Conn.Close()
}

func (g *guest) serves(busy bool) {
	g.room.mu.Lock()
	defer g.room.mu.Unlock()
	g.busy = busy
}

type guestKey struct{}

// known adds the guest of a connection to the context of its requests.
func known(ctx context.Context, c net.Conn) context.Context {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	if g, is := c.(*guest); is {
		return context.WithValue(ctx, guestKey{}, g)
	}
	return ctx
}

// keepsPlace keeps the place of a connection while a request is in progress.
func keepsPlace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g, is := r.Context().Value(guestKey{}).(*guest); is {
			g.serves(true)
			defer g.serves(false)
		}
		next.ServeHTTP(w, r)
	})
}
