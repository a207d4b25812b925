package loop

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// asyncObserver observes for a loop, so that a slow scope does not delay the others. A plan waits
// for at most Patience and then continues, with the slow scopes unreachable, while their
// observations continue. When one ends, it is confirmed, the loop is woken, and the next plan uses
// it.
type asyncObserver struct {
	loop *loop
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	assisting bool // used by the loop's goroutine only

	mu       sync.Mutex
	inFlight map[resource.Scope]*inFlight
	recorded map[resource.Scope]bool // recorded, and not yet used by a plan
}

// inFlight is a running observation of one scope.
type inFlight struct {
	started time.Time
	done    chan struct{}
	live    resource.LiveState
	late    bool // no plan waits for it
}

func newAsyncObserver(ctx context.Context, l *loop) *asyncObserver {
	y := &asyncObserver{loop: l, inFlight: map[resource.Scope]*inFlight{}, recorded: map[resource.Scope]bool{}}
	y.ctx, y.stop = context.WithCancel(ctx)
	return y
}

// close cancels the running observations and waits for them.
func (y *asyncObserver) close() {
	y.stop()
	y.wait.Wait()
}

// Observe reads each scope once, and waits for at most Patience.
func (y *asyncObserver) Observe(ctx context.Context, requests []provider.ObserveRequest) resource.LiveState {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	timeout := time.After(y.loop.o.Patience)
	mine := map[resource.Scope]*inFlight{}
	now := y.loop.engine.Observing(y.ctx)
	for _, r := range requests {
		if g, started := y.start(now, r); started {
			mine[r.Scope] = g
		} else {
			w.Unreachable[r.Scope] = y.stillRunning(r.Scope, g)
		}
	}
	timedOut := false
	for s, g := range mine {
		if !timedOut {
			select {
			case <-g.done:
			case <-timeout:
				timedOut = true
			case <-ctx.Done():
				timedOut = true
			}
		}
		if y.abandon(g) {
			w.Unreachable[s] = y.stillRunning(s, g)
			continue
		}
		maps.Copy(w.Scopes, g.live.Scopes)
		maps.Copy(w.Unreachable, g.live.Unreachable)
	}
	return w
}

func (y *asyncObserver) stillRunning(s resource.Scope, g *inFlight) error {
	return fmt.Errorf("observe %s: the observation started at %s is still running; other locations do not wait for it",
		s, g.started.UTC().Format(time.RFC3339))
}

// start starts an observation of a scope, unless one is running.
func (y *asyncObserver) start(now *engine.Observing, r provider.ObserveRequest) (g *inFlight, mine bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if g, ok := y.inFlight[r.Scope]; ok {
		return g, false
	}
	g = &inFlight{started: y.loop.engine.Clock(), done: make(chan struct{})}
	y.inFlight[r.Scope] = g
	y.wait.Go(func() { y.observeScope(now, r, g) })
	return g, true
}

func (y *asyncObserver) observeScope(now *engine.Observing, r provider.ObserveRequest, g *inFlight) {
	live, record := now.Read(y.ctx, r)
	g.live = live
	y.mu.Lock()
	delete(y.inFlight, r.Scope)
	close(g.done)
	late := g.late
	y.mu.Unlock()
	if _, read := live.Scopes[r.Scope]; !late || !read || y.ctx.Err() != nil {
		return
	}
	if err := record(y.ctx); err != nil {
		return // the next observation records it again
	}
	y.mu.Lock()
	y.recorded[r.Scope] = true
	y.mu.Unlock()
	y.loop.waker.start("a slow location was observed")
}

// abandon stops waiting for an observation; false if it has ended.
func (y *asyncObserver) abandon(g *inFlight) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	select {
	case <-g.done:
		return false
	default:
		g.late = true
		return true
	}
}

// Assists implements engine.AsyncObserver.
func (y *asyncObserver) Assists() bool { return y.assisting }

// TakeReported implements engine.AsyncObserver.
func (y *asyncObserver) TakeReported(s resource.Scope) bool { return y.loop.waker.take(s) }

// TakeRecorded implements engine.AsyncObserver.
func (y *asyncObserver) TakeRecorded(s resource.Scope) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	is := y.recorded[s]
	delete(y.recorded, s)
	return is
}
