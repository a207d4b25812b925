package coordinator

import (
	"errors"
	"time"
)

// errNoAnswer stands for the reason while the store has not even refused.
var errNoAnswer = errors.New("it has not answered")

// WithStoreHealth has the instance's people told that the store is silent: tell is called with the
// reason, once, when a renewal is overdue by as much as it should have taken, and with nil when
// the store answers again. It is called from the timer and the heartbeat of the lease, and must
// return soon. Nothing has to be done about it: work under claims ends by its context.
func WithStoreHealth(tell func(error)) Option { return func(c *Claims) { c.reportHealth = tell } }

// overdue says that a renewal should have got through by now. It is told at the second look in
// a row: the first after a stop of this process would blame the store.
func (s *session) overdue() bool {
	before := s.late
	s.late = time.Since(s.renewed) > s.isAlive/2
	return s.late && before
}

// silentSince tells, once, that the store is silent.
func (c *Claims) silentSince(why error) {
	if why == nil {
		why = errNoAnswer
	}
	c.heard(true, why)
}

// answered tells, once, that the store is not silent any more.
func (c *Claims) answered() { c.heard(false, nil) }

func (c *Claims) heard(silent bool, why error) {
	c.mu.Lock()
	news := c.silent != silent
	c.silent = silent
	c.mu.Unlock()
	if news && c.reportHealth != nil {
		c.reportHealth(why)
	}
}
