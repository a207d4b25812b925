package simulate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// latency is how long a frame takes at most.
const latency = 400 * time.Millisecond

var errCut = errors.New("the link is cut")

// server is what a stream is opened to.
type server func(ctx context.Context, recv func() (link.FromNode, error), send func(link.ToNode) error) error

// wire is the network between one process and the next one above: it can be cut, and its other end can be away, or
// stopped.
type wire struct {
	forges bool // it acknowledges what it carries itself, instead of the other end

	mu      sync.Mutex
	up      server               // nil: it is away
	isCut   bool                 // nothing connects
	stopped time.Time            // no frame arrives until then
	ends    []context.CancelFunc // of the streams
	running sync.WaitGroup
}

// serves puts a server behind the wire, or none, which ends its streams.
func (w *wire) serves(s server) {
	w.mu.Lock()
	w.up = s
	w.mu.Unlock()
	if s == nil {
		w.end()
		w.running.Wait()
	}
}

func (w *wire) cut(isCut bool) {
	w.mu.Lock()
	w.isCut = isCut
	w.mu.Unlock()
	if isCut {
		w.end()
	}
}

// end ends all streams: what is on its way is lost.
func (w *wire) end() {
	w.mu.Lock()
	ends := w.ends
	w.ends = nil
	w.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// stop lets no frame arrive for a while.
func (w *wire) stop(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = time.Now().Add(d)
}

// arrives waits until a frame arrives.
func (w *wire) arrives(ctx context.Context) error {
	w.mu.Lock()
	wait := max(rand.N(latency), time.Until(w.stopped))
	w.mu.Unlock()
	return rest(ctx, wait)
}

// dial is a link.Dialer.
func (w *wire) dial(ctx context.Context, _ string, _ credentials.TransportCredentials) (*link.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.up == nil || w.isCut {
		return nil, errCut
	}
	ctx, end := context.WithCancel(ctx)
	w.ends = append(w.ends, end)
	up, down := make(chan []byte, 256), make(chan []byte, 256)
	serve := w.up
	w.running.Go(func() {
		defer end()
		_ = serve(ctx, func() (link.FromNode, error) { return receive[link.FromNode](ctx, w, up) },
			func(f link.ToNode) error {
				if w.forges && f.Ack != nil && f.Desired == nil {
					return nil
				}
				return transmit(ctx, down, f)
			})
	})
	send := func(f link.FromNode) error {
		if err := transmit(ctx, up, f); err != nil || !w.forges {
			return err
		}
		return forge(ctx, down, f)
	}
	return link.NewConn(send, func() (link.ToNode, error) { return receive[link.ToNode](ctx, w, down) }, func() error { end(); return nil }), nil
}

// forge acknowledges events before the other end has them.
func forge(ctx context.Context, down chan []byte, f link.FromNode) error {
	var ack uint64
	switch {
	case f.Hello != nil && f.Hello.Node != "":
	case len(f.Events) > 0:
		ack = f.Events[len(f.Events)-1].Seq
	case len(f.Relayed) > 0:
		ack = f.Relayed[len(f.Relayed)-1].Number
	default:
		return nil
	}
	return transmit(ctx, down, link.ToNode{Ack: &ack})
}

func transmit(ctx context.Context, to chan []byte, f any) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return errCut
	case to <- b:
		return nil
	}
}

func receive[T any](ctx context.Context, w *wire, from chan []byte) (f T, err error) {
	select {
	case <-ctx.Done():
		return f, errCut
	case b := <-from:
		if w.arrives(ctx) != nil {
			return f, errCut
		}
		return f, json.Unmarshal(b, &f)
	}
}
