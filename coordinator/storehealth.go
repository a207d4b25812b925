package coordinator

import (
	"errors"
	"time"
)

// errNoAnswer is the reason while the store has not returned any error.
var errNoAnswer = errors.New("no answer")

// WithStoreHealth reports that the store does not answer: report is called once with the reason,
// when a renewal is overdue by as much as it should have taken, and with nil when the store answers
// again. It is called from the timer and the heartbeat of the lease, and must return soon. No
// reaction is necessary: work under claims ends by its context.
func WithStoreHealth(report func(error)) Option { return func(c *Claims) { c.reportHealth = report } }

// overdue reports that a renewal should have succeeded by now, at the second check in a row: the
// first one after a stop of this process would blame the store.
func (s *session) overdue() bool {
	before := s.late
	s.late = time.Since(s.renewed) > s.isAlive/2
	return s.late && before
}

// silentSince reports, once, that the store does not answer.
func (c *Claims) silentSince(why error) {
	if why == nil {
		why = errNoAnswer
	}
	c.heard(true, why)
}

// answered reports, once, that the store answers again.
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
