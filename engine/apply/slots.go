package apply

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// mostWaiting is the maximum number of actions of an apply that wait without a slot.
const mostWaiting = 1000

// slots limits the actions that call a provider at the same time. An action that only waits has no slot. When its wait
// ends it goes on at once, even above the limit, so that a result is never late; no other action starts until then.
type slots struct {
	limit   int
	control *Control
	freed   chan struct{} // has an element after a slot became free

	mu      sync.Mutex
	running int
	waiting int
}

func newSlots(limit int, c *Control) *slots {
	return &slots{limit: limit, control: c, freed: make(chan struct{}, 1)}
}

// take takes a slot; false if none is free.
func (s *slots) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running >= s.limit {
		return false
	}
	s.running++
	return true
}

// free returns a slot.
func (s *slots) free() {
	s.mu.Lock()
	s.running--
	s.mu.Unlock()
	// One signal is enough: the walk then fills all free slots.
	select {
	case s.freed <- struct{}{}:
	default:
	}
}

// wait returns the slot of an action while the action waits. With too many waiting actions the slot
// is kept, so that the number of goroutines and connections stays bounded.
func (s *slots) wait() (resume func()) {
	s.mu.Lock()
	full := s.waiting >= mostWaiting
	if !full {
		s.waiting++
	}
	s.mu.Unlock()
	if full {
		return func() {}
	}
	s.free()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting--
		s.running++
	}
}

// errSuperseded is the cause that ends the wait of an action whose resource has another configuration now.
var errSuperseded = fmt.Errorf("its configuration changed while it waited: %w", context.Canceled)

type stepKey struct{}

// stepping returns the context of a step. The control can end it while the step only waits. The
// result of an action whose wait was ended is left to an observation.
func (s *slots) stepping(ctx context.Context, key phaseOf) (stepped context.Context, end func()) {
	stepped, cancel := context.WithCancelCause(context.WithValue(ctx, stepKey{}, key))
	s.control.waitEnds(key, func() { cancel(errSuperseded) })
	return stepped, func() {
		s.control.waitEnds(key, nil)
		cancel(nil)
	}
}

// waits notes that the step of a context waits, until the returned function is called. The wait for a turn has no step
// in its context. It returns its slot too, and the control notes nothing.
func (s *slots) waits(ctx context.Context) (resume func()) {
	key, _ := ctx.Value(stepKey{}).(phaseOf)
	again := s.wait()
	s.control.waiting(key, true)
	return func() {
		s.control.waiting(key, false)
		again()
	}
}

// waitEnds sets the function that ends the wait of a step; nil means that it has ended.
func (c *Control) waitEnds(key phaseOf, end func()) {
	c.starts.Lock()
	defer c.starts.Unlock()
	if s := c.steps[key]; s != nil {
		s.endWait = end
	}
}

// waiting notes whether a step only waits.
func (c *Control) waiting(key phaseOf, is bool) {
	c.starts.Lock()
	defer c.starts.Unlock()
	if s := c.steps[key]; s != nil {
		s.waits = is
	}
}

// EndWait ends the action on a resource if it only waits, because the resource has another configuration now. The
// next observation finds the result.
func (c *Control) EndWait(ref resource.Ref) {
	c.starts.Lock()
	defer c.starts.Unlock()
	for key, s := range c.steps {
		if key.ref == ref && s.waits && s.endWait != nil {
			s.endWait()
		}
	}
}

// sleep waits without a slot until a time has passed or a context ends. It reports whether the time has passed.
func (s *slots) sleep(ctx, soft context.Context, d time.Duration) bool {
	resume := s.waits(ctx)
	defer resume()
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
	case <-soft.Done():
	}
	return false
}
