package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// wireOf is the network between two processes: it forwards bytes, and can be cut, or hold what is sent.
type wireOf struct {
	address  string
	listener net.Listener

	mu     sync.Mutex
	free   *sync.Cond
	target string
	rate   int  // bytes in a second; 0: as many as can be
	isCut  bool // all connections end, and no other one is made
	holds  bool // nothing arrives until it ends
	ends   map[net.Conn]bool
}

func newWireOf(t *testing.T, target string) *wireOf {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wireOf{address: l.Addr().String(), target: target, listener: l, ends: map[net.Conn]bool{}}
	w.free = sync.NewCond(&w.mu)
	go w.accept()
	t.Cleanup(func() {
		_ = l.Close()
		w.hold(false)
		w.cut(true)
	})
	return w
}

func (w *wireOf) cut(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = is
	for c := range w.ends {
		if is {
			_ = c.Close()
		}
	}
	w.free.Broadcast()
}

// to leads to another target, from the next connection on.
func (w *wireOf) to(target string) {
	w.mu.Lock()
	w.target = target
	w.mu.Unlock()
	w.cut(true)
	w.cut(false)
}

func (w *wireOf) hold(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holds = is
	w.free.Broadcast()
}

func (w *wireOf) limit(rate int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rate = rate
}

func (w *wireOf) accept() {
	for {
		c, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.serve(c)
	}
}

// keep notes an end, so that a cut closes it, and gives the target; "": the wire is cut.
func (w *wireOf) keep(c net.Conn) (target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends[c] = true
	if w.isCut {
		return ""
	}
	return w.target
}

func (w *wireOf) drop(c net.Conn) {
	_ = c.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ends, c)
}

func (w *wireOf) serve(client net.Conn) {
	defer w.drop(client)
	target := w.keep(client)
	if target == "" {
		return
	}
	server, err := net.DialTimeout("tcp", target, 5*time.Second)
	if err != nil {
		return
	}
	defer w.drop(server)
	if w.keep(server) == "" {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { w.pump(server, client) })
	both.Go(func() { w.pump(client, server) })
	both.Wait()
}

// pump copies until an end closes.
func (w *wireOf) pump(to, from net.Conn) {
	defer func() { _ = to.Close() }()
	defer func() { _ = from.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		w.mu.Lock()
		for w.holds && !w.isCut {
			w.free.Wait()
		}
		rate := w.rate
		w.mu.Unlock()
		if rate > 0 {
			time.Sleep(time.Second * time.Duration(n) / time.Duration(rate))
		}
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

// forger is between the orchestrator of a site and the central one, with the keys of both: it acknowledges events before
// the central one has them, also while that is away. It is the fault that the checker has to find.
type forger struct {
	central string        // the address
	site    identity.Node // its identity there
	lost    *atomic.Int64 // so many events were acknowledged, and not sent on
}

// newForger listens with the certificate of the central orchestrator, whose authority is in a folder.
func newForger(t *testing.T, f forger, folder string) (address string) {
	t.Helper()
	authority, err := identity.Open(folder, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := link.NewServer(f, grpc.Creds(credentials.NewTLS(authority.Server())))
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	return l.Addr().String()
}

// Session implements link.Orchestrator: what cannot be sent on is lost, and acknowledged.
func (f forger) Session(ctx context.Context, recv func() (link.FromNode, error), send func(link.ToNode) error) error {
	var up *link.Conn
	defer func() {
		if up != nil {
			_ = up.Close()
		}
	}()
	var hello link.FromNode
	for {
		frame, err := recv()
		if err != nil {
			return err
		}
		if frame.Hello != nil {
			hello = frame
			continue
		}
		if up == nil {
			up = f.dial(ctx, hello)
		}
		if up != nil && up.Send(frame) != nil {
			_ = up.Close()
			up = nil
		}
		if n := len(frame.Relayed); n > 0 {
			if up == nil {
				f.lost.Add(int64(n))
			}
			if err := send(link.ToNode{Ack: &frame.Relayed[n-1].Number}); err != nil {
				return err
			}
		}
	}
}

// dial opens a stream to the central orchestrator; nil: that is away.
func (f forger) dial(ctx context.Context, hello link.FromNode) *link.Conn {
	config, _, err := f.site.Config()
	if err != nil {
		return nil
	}
	up, err := link.Dial(ctx, f.central, credentials.NewTLS(config))
	if err != nil {
		return nil
	}
	if up.Send(hello) != nil {
		_ = up.Close()
		return nil
	}
	go func() {
		for { // the acknowledgments of the central one count for nothing
			if _, err := up.Recv(); err != nil {
				_ = up.Close()
				return
			}
		}
	}()
	return up
}

// Enroll implements link.Orchestrator. The site has its certificate already.
func (forger) Enroll(context.Context, link.EnrollRequest) (link.EnrollReply, error) {
	return link.EnrollReply{}, errors.New("nothing enrolls here")
}
