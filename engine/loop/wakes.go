package loop

import (
	"sync"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// Wakes starts the next cycle of all loops. The zero value is ready to use.
type Wakes struct {
	mu    sync.Mutex
	loops map[*waker]struct{}
}

// waker wakes one loop.
type waker struct {
	wake chan string

	mu       sync.Mutex
	reported map[resource.Scope]bool // since the last cycle that read them
	scopes   map[resource.Scope]bool // that the loop reads; nil before the first cycle
}

// reportedWake is the reason of a cycle that a report started.
const reportedWake = "reported"

// endedWake is the reason of a cycle after an action that a decision waited for.
const endedWake = "an action ended"

// Wake starts a cycle in each loop, as soon as its current one has ended.
func (w *Wakes) Wake(why string) {
	w.each(func(x *waker) { x.start(why) })
}

// Changed tells the loops that a scope has reported: it is read again, and nothing else that was
// read lately. It is provider.Config.Changed.
func (w *Wakes) Changed(s resource.Scope) {
	w.each(func(x *waker) {
		x.mu.Lock()
		// Before its first cycle, a loop does not know which scopes it reads.
		mine := x.scopes == nil || x.scopes[s]
		if mine {
			x.reported[s] = true
		}
		x.mu.Unlock()
		if mine {
			x.start(reportedWake)
		}
	})
}

func (w *Wakes) each(do func(*waker)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for x := range w.loops {
		do(x)
	}
}

// join adds a loop. The channel has room for one reason, because a woken loop reads everything that
// reported. The returned function removes the loop.
func (w *Wakes) join() (*waker, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.loops == nil {
		w.loops = map[*waker]struct{}{}
	}
	x := &waker{wake: make(chan string, 1), reported: map[resource.Scope]bool{}}
	w.loops[x] = struct{}{}
	return x, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.loops, x)
	}
}

// start wakes the loop. It is woken once for many reasons; a report gives way to any other, which
// reads all.
func (x *waker) start(why string) {
	select {
	case x.wake <- why:
		return
	default:
	}
	if why == reportedWake || why == endedWake {
		return
	}
	select {
	// The waiting reason may be a report, which reads less. This one replaces it.
	case <-x.wake:
	default:
	}
	select {
	case x.wake <- why:
	default:
	}
}

// reads keeps the scopes that the loop reads: reports of others do not wake it.
func (x *waker) reads(all []engine.Observation) {
	scopes := make(map[resource.Scope]bool, len(all))
	for _, o := range all {
		scopes[o.Scope] = true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.scopes = scopes
}

// take reports, once, whether a scope has reported since it was read.
func (x *waker) take(s resource.Scope) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	is := x.reported[s]
	delete(x.reported, s)
	return is
}
