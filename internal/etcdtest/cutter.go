package etcdtest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Cutter forwards to a member. It drops every n-th packet that the member sends and closes the connection with it,
// so that a request has been applied and its response is lost.
type Cutter struct {
	Endpoint string // host:port of the proxy
	target   string
	every    atomic.Int64
	packets  atomic.Int64
	cuts     atomic.Int64
}

// Cut starts a Cutter before the server, until the test ends. It cuts nothing before Every is called.
func Cut(t testing.TB, s *Server) *Cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cutter{Endpoint: l.Addr().String(), target: s.Endpoint}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() { c.serve(client) })
		}
	})
	t.Cleanup(func() { _ = l.Close() }) // connections end with their clients
	return c
}

// Every sets the number of packets per cut. Zero cuts nothing.
func (c *Cutter) Every(n int64) { c.every.Store(n) }

// Cuts returns the number of responses that were lost.
func (c *Cutter) Cuts() int64 { return c.cuts.Load() }

func (c *Cutter) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.DialTimeout("tcp", c.target, 2*time.Second)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var sent sync.WaitGroup
	sent.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	buf := make([]byte, 32<<10)
	for {
		n, err := server.Read(buf)
		if every := c.every.Load(); n > 0 && every > 0 && c.packets.Add(1)%every == 0 {
			c.cuts.Add(1)
			break
		}
		if _, failed := client.Write(buf[:n]); failed != nil || err != nil {
			break
		}
	}
	_ = client.Close()
	_ = server.Close()
	sent.Wait()
}
