package api

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Gather reads resources by ID for all who wait for one, in one call for many: a thousand starting
// resources are read together, not one by one. It is safe for any number of goroutines and starts none: the
// first caller waits a moment for others, and reads for all of them.
type Gather[T any] struct {
	Read func(ctx context.Context, ids []string) (map[string]T, error)
	// Step is the pause for each who asks, and most the pause for many. Who waits for a resource asks again and
	// again, so the first to ask after a read for many waits as for many: the others are about to ask too.
	Step, Most time.Duration

	mu      sync.Mutex
	asking  int
	last    int // how many the last read was for
	forming *round[T]
}

// round is one read. It is closed once found and err are set.
type round[T any] struct {
	ids   map[string]bool
	asked int
	done  chan struct{}
	found map[string]T
	err   error
}

// ReadOne reads one resource, and returns false if it is not listed. All callers of one read get its error.
func (g *Gather[T]) ReadOne(ctx context.Context, id string) (T, bool, error) {
	r, first, pause := g.join(id)
	defer g.leave()
	if first {
		select { // one whose time is up still reads for the others
		case <-time.After(pause):
		case <-ctx.Done():
		}
		g.readRound(ctx, r)
	}
	select {
	case <-r.done:
		v, ok := r.found[id]
		return v, ok, r.err
	case <-ctx.Done():
		var none T
		return none, false, context.Cause(ctx)
	}
}

// join adds an ID to the read that is forming, or forms one. first means that the caller must make
// the read, after the pause.
func (g *Gather[T]) join(id string) (r *round[T], first bool, pause time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asking++
	if first = g.forming == nil; first {
		g.forming = &round[T]{ids: map[string]bool{}, done: make(chan struct{})}
	}
	g.forming.ids[id] = true
	g.forming.asked++
	return g.forming, first, min(time.Duration(max(g.asking, g.last))*g.Step, g.Most)
}

func (g *Gather[T]) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asking--
}

// readTime bounds a read that goes on if one who waits for it gives up.
const readTime = 2 * time.Minute

// readRound reads for all who joined. A read for several is detached from the context of the first
// caller, whose end must not fail the others. The round is closed even if Read panics.
func (g *Gather[T]) readRound(ctx context.Context, r *round[T]) {
	g.mu.Lock()
	g.forming, g.last = nil, r.asked // who comes now asks in the next round
	g.mu.Unlock()
	if r.asked > 1 {
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
		defer cancel()
		ctx = shared
	}
	defer close(r.done)
	r.found, r.err = g.Read(ctx, slices.Sorted(maps.Keys(r.ids)))
}
