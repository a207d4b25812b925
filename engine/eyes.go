package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// eyes look for a loop without letting a slow scope hold up the others. A plan waits so long
// and no longer: it goes on with what was seen, blind for the rest, while the slow look goes
// on. When that ends it is recorded, the loop is woken, and the next plan rests on it.
type eyes struct {
	loop *loop
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	helping bool // the loop's own

	mu    sync.Mutex
	under map[resource.Scope]*glance // under way
	fresh map[resource.Scope]bool    // on record, and no plan has rested on it yet
}

// glance is a look under way at one scope.
type glance struct {
	began time.Time
	done  chan struct{}
	world resource.World
	late  bool // no plan waits for it any more
}

func newEyes(ctx context.Context, l *loop) *eyes {
	y := &eyes{loop: l, under: map[resource.Scope]*glance{}, fresh: map[resource.Scope]bool{}}
	y.ctx, y.stop = context.WithCancel(ctx)
	return y
}

// close ends what is under way.
func (y *eyes) close() {
	y.stop()
	y.wait.Wait()
}

// observe looks at each scope once, for as long as it has patience.
func (y *eyes) observe(ctx context.Context, scopes []resource.Scope) resource.World {
	w := resource.World{Seen: map[resource.Scope]resource.Snapshot{}, Failed: map[resource.Scope]error{}}
	enough := time.After(y.loop.o.Patience)
	glances := map[resource.Scope]*glance{}
	for _, s := range scopes {
		if g, mine := y.begin(s); mine {
			glances[s] = g
		} else {
			w.Failed[s] = y.slow(s, g)
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
		if y.leave(s, g) {
			w.Failed[s] = y.slow(s, g)
			continue
		}
		for s, snapshot := range g.world.Seen {
			w.Seen[s] = snapshot
		}
		for s, err := range g.world.Failed {
			w.Failed[s] = err
		}
	}
	return w
}

func (y *eyes) slow(s resource.Scope, g *glance) error {
	return fmt.Errorf("observe %s: the look that began at %s is still going on; the rest does not wait for it", s, g.began.UTC().Format(time.RFC3339))
}

// begin starts a look at a scope, unless one is under way.
func (y *eyes) begin(s resource.Scope) (g *glance, mine bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if g, ok := y.under[s]; ok {
		return g, false
	}
	g = &glance{began: y.loop.engine.cfg.Clock(), done: make(chan struct{})}
	y.under[s] = g
	y.wait.Go(func() { y.look(s, g) })
	return g, true
}

func (y *eyes) look(s resource.Scope, g *glance) {
	e := y.loop.engine
	since, err := e.cfg.Ledger.Revision(y.ctx)
	doubts, bad := e.doubts(y.ctx)
	if err == nil && bad == nil {
		g.world = e.observer.Observe(y.ctx, []resource.Scope{s})
	} else {
		g.world.Failed = map[resource.Scope]error{s: fmt.Errorf("the record: %w", firstOf(err, bad))}
	}
	y.mu.Lock()
	delete(y.under, s)
	close(g.done)
	late := g.late
	y.mu.Unlock()
	if _, seen := g.world.Seen[s]; !late || !seen || y.ctx.Err() != nil {
		return
	}
	if _, err := e.cfg.Ledger.RecordWorld(y.ctx, g.world, ledger.LookOptions{Since: since}); err != nil {
		return // the next look tells it again
	}
	if _, _, err := e.answer(y.ctx, doubts, g.world); err != nil {
		return
	}
	y.mu.Lock()
	y.fresh[s] = true
	y.mu.Unlock()
	select {
	case y.loop.wake <- "a slow scope was seen":
	default:
	}
}

// leave stops waiting for a look; false if it has ended.
func (y *eyes) leave(_ resource.Scope, g *glance) bool {
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

// helps says that the plan under way is one of an instance that does not lead: the one that
// leads looks, also at what is under way.
func (y *eyes) helps() bool { return y != nil && y.helping }

// take says, once, that a late look at the scope is on record for a plan to rest on.
func (y *eyes) take(s resource.Scope) bool {
	if y == nil {
		return false
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	is := y.fresh[s]
	delete(y.fresh, s)
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
