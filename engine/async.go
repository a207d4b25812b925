package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// asyncObserver look for a loop without letting a slow scope hold up the others. A plan waits so long
// and no longer: it goes on with what was seen, blind for the rest, while the slow look goes
// on. When that ends it is recorded, the loop is woken, and the next plan rests on it.
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

// inFlight is a look under way at one scope.
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

// observe looks at each scope once, for as long as it has patience.
func (y *asyncObserver) observe(ctx context.Context, scopes []resource.Scope) resource.LiveState {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	enough := time.After(y.loop.o.Patience)
	glances := map[resource.Scope]*inFlight{}
	for _, s := range scopes {
		if g, mine := y.start(s); mine {
			glances[s] = g
		} else {
			w.Unreachable[s] = y.stillRunning(s, g)
		}
	}
	over := false
	for s, g := range glances {
		if !over {
			select {
			case <-g.done:
			case <-enough:
				over = true
			case <-ctx.Done():
				over = true
			}
		}
		if y.abandon(s, g) {
			w.Unreachable[s] = y.stillRunning(s, g)
			continue
		}
		for s, snapshot := range g.live.Scopes {
			w.Scopes[s] = snapshot
		}
		for s, err := range g.live.Unreachable {
			w.Unreachable[s] = err
		}
	}
	return w
}

func (y *asyncObserver) stillRunning(s resource.Scope, g *inFlight) error {
	return fmt.Errorf("observe %s: the look that began at %s is still going on; the rest does not wait for it", s, g.started.UTC().Format(time.RFC3339))
}

// start starts a look at a scope, unless one is under way.
func (y *asyncObserver) start(s resource.Scope) (g *inFlight, mine bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if g, ok := y.inFlight[s]; ok {
		return g, false
	}
	g = &inFlight{started: y.loop.engine.cfg.Clock(), done: make(chan struct{})}
	y.inFlight[s] = g
	y.wait.Go(func() { y.observeScope(s, g) })
	return g, true
}

func (y *asyncObserver) observeScope(s resource.Scope, g *inFlight) {
	e := y.loop.engine
	since, err := e.cfg.Ledger.Revision(y.ctx)
	doubts, bad := e.openActions(y.ctx)
	if err == nil && bad == nil {
		g.live = e.observer.Observe(y.ctx, []resource.Scope{s})
	} else {
		g.live.Unreachable = map[resource.Scope]error{s: fmt.Errorf("the record: %w", firstOf(err, bad))}
	}
	y.mu.Lock()
	delete(y.inFlight, s)
	close(g.done)
	late := g.late
	y.mu.Unlock()
	if _, seen := g.live.Scopes[s]; !late || !seen || y.ctx.Err() != nil {
		return
	}
	if _, err := e.cfg.Ledger.RecordObservation(y.ctx, g.live, ledger.ObservationOptions{Since: since}); err != nil {
		return // the next look tells it again
	}
	if _, _, err := e.recoverAll(y.ctx, doubts, g.live); err != nil {
		return
	}
	y.mu.Lock()
	y.recorded[s] = true
	y.mu.Unlock()
	select {
	case y.loop.wake <- "a slow scope was seen":
	default:
	}
}

// abandon stops waiting for a look; false if it has ended.
func (y *asyncObserver) abandon(_ resource.Scope, g *inFlight) bool {
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

// assists says that the plan under way is one of an instance that does not lead: the one that
// leads looks, also at what is under way.
func (y *asyncObserver) assists() bool { return y != nil && y.assisting }

// takeRecorded says, once, that a late look at the scope is on record for a plan to rest on.
func (y *asyncObserver) takeRecorded(s resource.Scope) bool {
	if y == nil {
		return false
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	is := y.recorded[s]
	delete(y.recorded, s)
	return is
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
