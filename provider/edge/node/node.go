package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
)

// Options are the settings of a node.
type Options struct {
	Site, Node string
	Address    string // of the orchestrator
	// Connect gives the credentials of the next stream, and for how long it may be open; 0 means for as long as it
	// lasts.
	Connect func(context.Context) (credentials.TransportCredentials, time.Duration, error)
	Dial    link.Dialer // nil means gRPC
	// Containers runs containers: its kind "container" in Scope. It must be able to swap them.
	Containers interface {
		provider.Provider
		provider.Swapper
	}
	Scope  resource.Scope
	Bounds Bounds
	// Dir is where the node keeps its desired state; "" means nowhere, for tests.
	Dir string
	// Verify checks a signature of the site. Nil means that none is checked, for tests.
	Verify func(body, signature []byte) error
	Events int // how many events wait for the orchestrator at most; 0: 10,000
	// Loud keeps the whole text of the error of a deployment with a secret, for the operator of the node alone.
	Loud func(ref resource.Ref, text string)
	// Shown records with its argument that such a text was shown, once each time.
	Shown func(record func(at time.Time, text string) error) error
	Beat  time.Duration // the longest time between two reports; 0 is 10 s
	Log   hclog.Logger
}

// The pauses before the orchestrator is dialed again.
const (
	dialFirst = 500 * time.Millisecond
	dialMost  = 30 * time.Second
)

// errRenew ends a stream whose certificate is to be renewed.
var errRenew = errors.New("the certificate is due to be renewed")

// agent is a running node.
type agent struct {
	Options
	runtime *runtime
	holder  *holder
	outbox  *outbox.Outbox // nil means that events are not kept, in tests
	boot    string
	changed chan struct{} // there is something to report
	acked   chan struct{} // the orchestrator has events
	doing   sync.WaitGroup

	mu      sync.Mutex
	queue   []task                      // in order
	busy    map[string]bool             // the deployments of which a task is in progress
	seen    uint64                      // of the stream
	welcome bool                        // the orchestrator has said on this stream which events it has
	last    map[string]resource.Request // the last request of each deployment, and its result
	shown   map[string]link.Status      // what the container of each deployment showed last
}

// Run starts what was running, and then serves the orchestrator until the context ends. A stream that
// ends is opened again.
func Run(ctx context.Context, o Options) error {
	if o.Beat == 0 {
		o.Beat = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	r, err := newRuntime(o)
	if err != nil {
		return err
	}
	h, err := openHolder(o)
	if err != nil {
		o.Log.Error("the node starts what runs on it, and waits for its orchestrator", "error", err)
	}
	events, err := openOutbox(o)
	if err != nil {
		return fmt.Errorf("open the outbox of the node: %w", err)
	}
	if events != nil {
		defer func() { _ = events.Close() }()
	}
	a := &agent{
		Options: o, runtime: r, holder: h, outbox: events, boot: bootID(), changed: make(chan struct{}, 1),
		acked: make(chan struct{}, 1), busy: map[string]bool{},
		last: map[string]resource.Request{}, shown: map[string]link.Status{},
	}
	d, _, told := h.current()
	if err := r.resume(ctx, d, told); err != nil && ctx.Err() == nil {
		o.Log.Warn("not everything that was running could be started", "error", err)
	}
	defer a.doing.Wait()
	for pause := dialFirst; ctx.Err() == nil; pause = min(2*pause, dialMost) {
		connected, err := a.serve(ctx)
		if ctx.Err() != nil {
			break
		}
		if connected {
			pause = dialFirst
		}
		o.Log.Warn("the orchestrator is not connected; what runs goes on", "address", o.Address, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(pause) + time.Millisecond):
		}
	}
	return nil
}

// serve opens one stream, and reports until it ends. connected: the orchestrator took two reports.
func (a *agent) serve(all context.Context) (connected bool, err error) {
	ctx, stop := context.WithCancelCause(all)
	defer stop(nil)
	secure, most, err := a.Connect(ctx)
	if err != nil {
		return false, err
	}
	if most > 0 {
		defer time.AfterFunc(most, func() { stop(errRenew) }).Stop()
	}
	conn, err := a.Dial.Or()(ctx, a.Address, secure)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	a.mu.Lock()
	a.seen, a.welcome = 0, false
	a.mu.Unlock()
	if err := conn.Send(link.FromNode{Hello: a.hello()}); err != nil {
		return false, err
	}
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop(nil)
	reader.Go(func() { stop(a.read(all, conn)) })
	beat := time.NewTicker(a.Beat)
	defer beat.Stop()
	for out := (stream{conn: conn}); ; {
		if err := a.tell(ctx, &out); err != nil || ctx.Err() != nil {
			return out.frames > 1, cmp.Or(context.Cause(ctx), err)
		}
		for wait := true; wait; {
			if err := a.sendEvents(&out); err != nil {
				return out.frames > 1, err
			}
			select {
			case <-ctx.Done():
				wait = false
			case <-beat.C:
				wait = false
			case <-a.changed:
				wait = false
			case <-a.acked:
			}
		}
	}
}

// stream is what was sent on one stream.
type stream struct {
	conn   *link.Conn
	frames int
	report *link.Report
	events uint64 // the newest
}

// tell sends a report, or that nothing has changed since the last one.
func (a *agent) tell(ctx context.Context, s *stream) error {
	a.noteShown()
	r := a.report(ctx)
	if ctx.Err() != nil {
		return nil
	}
	f := link.FromNode{Report: &r}
	if s.report != nil && s.report.Same(&r) {
		f = link.FromNode{Beat: &link.Beat{Seen: r.Seen}}
	}
	s.report = &r
	s.frames++
	return s.conn.Send(f)
}

// sendEvents sends the events that the orchestrator does not have, once it has said on this stream which it has.
func (a *agent) sendEvents(s *stream) error {
	a.mu.Lock()
	welcome := a.welcome
	a.mu.Unlock()
	if !welcome || a.outbox == nil {
		return nil
	}
	for {
		var events []link.Event
		for _, r := range a.outbox.After(s.events, eventsAtOnce) {
			events, s.events = append(events, r.Event), r.Number
		}
		if len(events) == 0 {
			return nil
		}
		if err := s.conn.Send(link.FromNode{Events: events}); err != nil {
			return err
		}
	}
}

func (a *agent) hello() *link.Hello {
	_, held, _ := a.holder.current()
	h := &link.Hello{Site: a.Site, Node: a.Node, Held: held}
	if a.outbox != nil {
		h.Incarnation = a.outbox.Incarnation()
	}
	return h
}

// read accepts what the orchestrator tells and asks. A request that is queued already is the same one.
func (a *agent) read(ctx context.Context, conn *link.Conn) error {
	for {
		f, err := conn.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the orchestrator closed the stream")
		case err != nil:
			return err
		}
		if f.Ack != nil && a.outbox != nil {
			if err := a.outbox.Ack(*f.Ack); err != nil {
				return err
			}
			a.mu.Lock()
			a.welcome = true
			a.mu.Unlock()
			signal(a.acked)
		}
		if f.Desired != nil {
			if err := a.holder.accept(f.Desired); err != nil { // also where it cannot be kept
				return err
			}
		}
		if f.Request != nil {
			a.accept(ctx, *f.Request)
		}
	}
}
