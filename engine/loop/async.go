package loop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// asyncObserver reads locations for the plans of a loop, each in a goroutine of its own. A location, or a
// kind of it, that takes longer than the loop's patience is read on: it is recorded once it has answered,
// and the next plan uses the record. Until then it is not read again.
type asyncObserver struct {
	loop *stackLoop
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	assisting bool // used by the loop's goroutine only

	mu       sync.Mutex
	inFlight map[resource.Scope]*inFlight
	late     map[resource.Scope]map[string]time.Time // kinds that are read on, and since when
	recorded map[resource.Scope][]string             // kinds recorded, and not yet used by a plan
}

// inFlight is a running observation of a location.
type inFlight struct {
	started time.Time
	done    chan struct{}
	live    resource.LiveState
	late    bool // no plan waits for it
}

func newAsyncObserver(ctx context.Context, l *stackLoop) *asyncObserver {
	y := &asyncObserver{
		loop: l, inFlight: map[resource.Scope]*inFlight{}, late: map[resource.Scope]map[string]time.Time{},
		recorded: map[resource.Scope][]string{},
	}
	y.ctx, y.stop = context.WithCancel(ctx)
	return y
}

// close ends all observations and waits for them.
func (y *asyncObserver) close() {
	y.stop()
	y.wait.Wait()
}

// graceShare is the part of the patience that a location has beyond the patience for its kinds: a kind that
// hangs then costs itself alone.
const graceShare = 4

// Observe implements plan.AsyncObserver.
func (y *asyncObserver) Observe(ctx context.Context, requests []provider.ObserveRequest) resource.LiveState {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	timeout := time.After(y.loop.o.Patience + y.loop.o.Patience/graceShare)
	mine, waiting := map[resource.Scope]*inFlight{}, map[resource.Scope]map[string]error{}
	// The reads of the store precede every observation that is started here, and are shared by them.
	now := y.loop.engine.Observing(y.ctx)
	for _, r := range requests {
		r, waiting[r.Scope] = y.withoutLate(r)
		// Every kind of the location is still being read.
		if r.Kinds != nil && len(r.Kinds) == 0 {
			// The first kind by name, so that repeated cycles report the same text.
			first := slices.Min(slices.Collect(maps.Keys(waiting[r.Scope])))
			w.Unreachable[r.Scope] = waiting[r.Scope][first]
			continue
		}
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
		// The goroutine of an abandoned observation records the result.
		if y.abandon(g) {
			w.Unreachable[s] = y.stillRunning(s, g)
			continue
		}
		for s, snapshot := range g.live.Scopes {
			w.Scopes[s] = snapshot.Without(waiting[s])
		}
		maps.Copy(w.Unreachable, g.live.Unreachable)
	}
	return w
}

// withoutLate returns a request without the kinds that are still being read, and why these are not read again.
func (y *asyncObserver) withoutLate(r provider.ObserveRequest) (provider.ObserveRequest, map[string]error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.late[r.Scope]) == 0 {
		return r, nil
	}
	all, waiting := r.Kinds, map[string]error{}
	if all == nil {
		all = y.loop.engine.KindsOf(r.Scope.Provider)
	}
	r.Kinds = []string{}
	for _, k := range all {
		if since, late := y.late[r.Scope][k]; late {
			waiting[k] = &provider.StillReadingError{Kind: k, Since: since}
		} else {
			r.Kinds = append(r.Kinds, k)
		}
	}
	return r, waiting
}

func (y *asyncObserver) stillRunning(s resource.Scope, g *inFlight) error {
	return fmt.Errorf("observe %s: the observation started at %s is still running; other locations do not wait for it",
		s, g.started.UTC().Format(time.RFC3339))
}

// start observes a location, unless an observation of it is running already.
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

// observeScope reads a location. If the plan has stopped waiting by then, the result is recorded here.
func (y *asyncObserver) observeScope(now *engine.Observing, r provider.ObserveRequest, g *inFlight) {
	r.Patience = y.loop.o.Patience
	r.Late = &provider.Late{
		Context: y.ctx,
		Reading: func(kind string, since time.Time) {
			y.wait.Add(1)
			y.mu.Lock()
			defer y.mu.Unlock()
			if y.late[r.Scope] == nil {
				y.late[r.Scope] = map[string]time.Time{}
			}
			y.late[r.Scope][kind] = since
		},
		Deliver: func(l provider.Listing, since time.Time) {
			defer y.wait.Done()
			// A kind that could not be read or recorded is read again by the next cycle.
			snapshot, err := provider.SnapshotOf(r.Scope, since, []provider.Listing{l})
			if err == nil {
				err = now.Record(y.ctx, snapshot, r)
			}
			y.mu.Lock()
			// The kind is read again from now on, even if its record failed.
			delete(y.late[r.Scope], l.Kind)
			y.mu.Unlock()
			if err == nil {
				y.use(r.Scope, []string{l.Kind}, "a slow kind was observed")
			}
		},
	}
	live, record := now.Read(y.ctx, r)
	g.live = live
	y.mu.Lock()
	delete(y.inFlight, r.Scope)
	close(g.done)
	late := g.late
	y.mu.Unlock()
	snapshot, read := live.Scopes[r.Scope]
	// An observation that a plan waited for is confirmed and recorded by that plan.
	if !late || !read || y.ctx.Err() != nil {
		return
	}
	if err := record(y.ctx); err != nil {
		return // the next observation records it again
	}
	kinds := snapshot.Complete
	if kinds == nil {
		kinds = y.loop.engine.KindsOf(r.Scope.Provider)
	}
	y.use(r.Scope, kinds, "a slow location was observed")
}

// use lets the next plan take kinds from the record, and starts it.
func (y *asyncObserver) use(s resource.Scope, kinds []string, why string) {
	y.mu.Lock()
	y.recorded[s] = append(y.recorded[s], kinds...)
	y.mu.Unlock()
	y.loop.waker.start(why)
}

// abandon stops waiting for an observation, unless it has ended by now. The check and the mark are made under the lock,
// so that either the plan or the goroutine uses a result.
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

// Assists implements plan.AsyncObserver.
func (y *asyncObserver) Assists() bool { return y.assisting }

// TakeReported implements plan.AsyncObserver.
func (y *asyncObserver) TakeReported(s resource.Scope) bool { return y.loop.waker.take(s) }

// TakeRecorded implements plan.AsyncObserver. It returns each kind once: a later plan observes the kind again.
func (y *asyncObserver) TakeRecorded(s resource.Scope) []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	kinds := y.recorded[s]
	delete(y.recorded, s)
	return kinds
}
