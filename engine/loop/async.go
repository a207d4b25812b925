package loop

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// asyncObserver observes for a loop without letting a slow scope delay the others. A plan waits
// for so long and no longer: it goes on with what was read, the rest unreachable, while the
// slow observation goes on. When that ends it is confirmed, the loop is woken, and the next
// plan rests on it.
type asyncObserver struct {
	loop *loop
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	assisting bool // the loop's own

	mu       sync.Mutex
	inFlight map[resource.Scope]*inFlight // under way
	recorded map[resource.Scope]bool      // on record, and no plan has rested on it yet
}

// inFlight is a running observation of one scope.
type inFlight struct {
	started time.Time
	done    chan struct{}
	live    resource.LiveState
	late    bool // no plan waits for it any more
}

func newAsyncObserver(ctx context.Context, l *loop) *asyncObserver {
	y := &asyncObserver{loop: l, inFlight: map[resource.Scope]*inFlight{}, recorded: map[resource.Scope]bool{}}
	y.ctx, y.stop = context.WithCancel(ctx)
	return y
}

// close ends what is under way.
func (y *asyncObserver) close() {
	y.stop()
	y.wait.Wait()
}

// Observe reads each scope once, and waits for as long as it has patience.
func (y *asyncObserver) Observe(ctx context.Context, requests []provider.ObserveRequest) resource.LiveState {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	enough := time.After(y.loop.o.Patience)
	mine := map[resource.Scope]*inFlight{}
	for _, r := range requests {
		if g, started := y.start(r); started {
			mine[r.Scope] = g
		} else {
			w.Unreachable[r.Scope] = y.stillRunning(r.Scope, g)
		}
	}
	over := false
	for s, g := range mine {
		if !over {
			select {
			case <-g.done:
			case <-enough:
				over = true
			case <-ctx.Done():
				over = true
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
	return fmt.Errorf("observe %s: the observation started at %s is still running; other locations do not wait for it", s, g.started.UTC().Format(time.RFC3339))
}

// start begins an observation of a scope, unless one is running.
func (y *asyncObserver) start(r provider.ObserveRequest) (g *inFlight, mine bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if g, ok := y.inFlight[r.Scope]; ok {
		return g, false
	}
	g = &inFlight{started: y.loop.engine.Clock(), done: make(chan struct{})}
	y.inFlight[r.Scope] = g
	y.wait.Go(func() { y.observeScope(r, g) })
	return g, true
}

func (y *asyncObserver) observeScope(r provider.ObserveRequest, g *inFlight) {
	live, record := y.loop.engine.Observe(y.ctx, r, y.loop.stack.Name)
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
	select {
	case y.loop.wake <- "a slow location was observed":
	default:
	}
}

// abandon stops waiting for a look; false if it has ended.
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

// Assists says that the plan under way is one of an instance that does not lead: the one that
// leads looks, also at what is under way.
func (y *asyncObserver) Assists() bool { return y.assisting }

// TakeRecorded says, once, that a late look at the scope is on record for a plan to rest on.
func (y *asyncObserver) TakeRecorded(s resource.Scope) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	is := y.recorded[s]
	delete(y.recorded, s)
	return is
}
