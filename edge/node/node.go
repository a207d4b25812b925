package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// Options are the settings of a node.
type Options struct {
	Site, Node string
	Address    string // of the orchestrator
	// Connect gives the credentials of the next stream, and for how long it may be open; 0: for as long as it
	// lasts.
	Connect func(context.Context) (credentials.TransportCredentials, time.Duration, error)
	// Containers runs containers: its kind "container" in Scope. It must be able to swap them.
	Containers interface {
		provider.Provider
		provider.Swapper
	}
	Scope resource.Scope
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
	work    chan struct{} // there are requests
	changed chan struct{} // there is something to report

	mu     sync.Mutex
	queue  []link.Request // in order; the first may be in progress
	seen   uint64         // of the stream
	failed map[string]failure
}

// failure is a request that failed, until another one for the same deployment.
type failure struct {
	request link.Request
	text    string
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
	a := &agent{Options: o, runtime: r, work: make(chan struct{}, 1), changed: make(chan struct{}, 1), failed: map[string]failure{}}
	if err := r.resume(ctx); err != nil && ctx.Err() == nil {
		o.Log.Warn("not everything that was running could be started", "error", err)
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() { a.perform(ctx) })
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
func (a *agent) serve(ctx context.Context) (connected bool, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	secure, most, err := a.Connect(ctx)
	if err != nil {
		return false, err
	}
	if most > 0 {
		defer time.AfterFunc(most, func() { stop(errRenew) }).Stop()
	}
	conn, err := link.Dial(ctx, a.Address, secure)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	a.mu.Lock()
	a.seen = 0
	a.mu.Unlock()
	if err := conn.Send(link.FromNode{Hello: &link.Hello{Site: a.Site, Node: a.Node}}); err != nil {
		return false, err
	}
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop(nil)
	reader.Go(func() { stop(a.read(conn)) })
	beat := time.NewTicker(a.Beat)
	defer beat.Stop()
	for n := 0; ; n++ {
		r := a.report(ctx)
		if ctx.Err() != nil {
			return n > 1, context.Cause(ctx)
		}
		if err := conn.Send(link.FromNode{Report: &r}); err != nil {
			return n > 1, err
		}
		select {
		case <-ctx.Done():
		case <-beat.C:
		case <-a.changed:
		}
	}
}

// read queues what the orchestrator asks. A request that is queued already is the same one.
func (a *agent) read(conn *link.Conn) error {
	for {
		f, err := conn.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the orchestrator closed the stream")
		case err != nil:
			return err
		case f.Request == nil:
			continue
		}
		a.mu.Lock()
		a.seen = f.Request.Seq
		if !slices.ContainsFunc(a.queue, func(q link.Request) bool { return q.ID == f.Request.ID }) {
			a.queue = append(a.queue, *f.Request)
		}
		a.mu.Unlock()
		signal(a.work)
		signal(a.changed)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// perform does the requests, one after the other.
func (a *agent) perform(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.work:
		}
		for q, ok := a.first(); ok && ctx.Err() == nil; q, ok = a.first() {
			a.Log.Info("started", "request", q.Verb, "deployment", q.Name, "version", q.Spec.Version)
			err := a.runtime.do(ctx, q)
			a.finished(q, err)
			if err != nil {
				a.Log.Warn("failed", "request", q.Verb, "deployment", q.Name, "error", err)
			}
			signal(a.changed)
		}
	}
}

func (a *agent) first() (link.Request, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		return link.Request{}, false
	}
	return a.queue[0], true
}

func (a *agent) finished(q link.Request, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = a.queue[1:]
	delete(a.failed, q.Name)
	if err != nil {
		a.failed[q.Name] = failure{q, err.Error()}
	}
}

// report is what runs now. What was seen and open is noted before anything is observed.
func (a *agent) report(ctx context.Context) link.Report {
	a.mu.Lock()
	r := link.Report{Seen: a.seen}
	queue := slices.Clone(a.queue)
	failed := make(map[string]failure, len(a.failed))
	for name, f := range a.failed {
		failed[name] = f
	}
	a.mu.Unlock()
	for _, q := range queue {
		r.Open = append(r.Open, q.ID)
	}
	items, err := a.runtime.items(ctx)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Items = overlay(items, queue, failed)
	return r
}

// overlay adds what the containers do not show: requests in progress, and those that failed.
func overlay(items []link.Item, queue []link.Request, failed map[string]failure) []link.Item {
	at := func(q link.Request) *link.Item {
		i := slices.IndexFunc(items, func(x link.Item) bool { return x.Name == q.Name })
		if i < 0 {
			i, items = len(items), append(items, link.Item{Name: q.Name, Instance: q.Instance, Marks: q.Marks, Spec: q.Spec})
		}
		return &items[i]
	}
	for _, f := range failed {
		if f.request.Verb == link.Delete && !slices.ContainsFunc(items, func(x link.Item) bool { return x.Name == f.request.Name }) {
			continue
		}
		x := at(f.request)
		x.Phase, x.Health = link.Failed, resource.Failing
		x.Message = fmt.Sprintf("%s of version %s failed: %s", f.request.Verb, f.request.Spec.Version, f.text)
	}
	for i, q := range queue {
		if q.Verb == link.Delete {
			continue
		}
		x := at(q)
		if x.Phase, x.Health = link.Pending, resource.Pending; i == 0 {
			x.Phase = link.Installing
		}
	}
	return items
}
