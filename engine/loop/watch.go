package loop

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/ledger/phrase"
)

// Watch tells a loop that waits from one that is stuck. Each part of a cycle has deadlines of its own, so that a part
// that takes longer than all of them makes no progress any more. An action that an apply waits for belongs
// to no cycle. The zero value is ready to use.
type Watch struct {
	mu    sync.Mutex
	last  map[string]part // by stack
	reads map[string]part // of the source, by stack: a read can outlast its cycle
}

// part is the present part of a loop's cycle. Its time is of the monotonic clock, which stands still while the machine
// sleeps.
type part struct {
	doing string // "" means that the loop rests, or that it waits for another instance
	since time.Time
	limit time.Duration
}

// stuckAfter is the time that a part of a cycle may take beyond the loop's patience and timeout: more than the sum of
// the deadlines of the calls that a source, a store or a clone needs.
const stuckAfter = 15 * time.Minute

// enter notes what a loop does from now on.
func (w *Watch) enter(stack, doing string, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.last = map[string]part{}
	}
	w.last[stack] = part{doing, time.Now(), limit}
}

// read notes that a loop reads its source, until the returned function is called.
func (w *Watch) read(stack string, limit time.Duration) (ended func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reads == nil {
		w.reads = map[string]part{}
	}
	w.reads[stack] = part{loading, time.Now(), limit}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.reads, stack)
	}
}

// leave forgets a loop that has ended. A read of its source may go on, and is not reported any more.
func (w *Watch) leave(stack string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.last, stack)
}

// Stuck lists the loops that make no progress, and what each does, and for how long.
func (w *Watch) Stuck() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, stack := range slices.Sorted(maps.Keys(w.last)) {
		for _, p := range []part{w.last[stack], w.reads[stack]} {
			if d := time.Since(p.since); p.doing != "" && d > p.limit {
				out = append(out, fmt.Sprintf("stack %s: %s for %s", stack, p.doing, phrase.Age(d)))
			}
		}
	}
	return out
}

// The parts of a loop.
const (
	leading   = "asking for the lead"
	loading   = "loading its source"
	planning  = "observing and planning"
	reporting = "reporting a cycle"
	pausing   = "waiting for the next cycle"
	mending   = "opening its records again"
)
