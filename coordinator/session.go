package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// A session is the life of one lease. Its context ends before the lease can: when no renewal
// was confirmed in time on either clock, when the store says that the lease is gone, or when
// the Claims are closed. The next Hold then begins another session.
type session struct {
	c      *Claims
	lease  storage.LeaseID
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the heartbeat has stopped

	mu       sync.Mutex
	renewed  time.Time
	deadline time.Time     // on Go's monotonic clock, which sees stops but not sleep
	asleep   time.Duration // the same on the clock of the boot, which sees both
	timer    *time.Timer
	failure  error // of the last heartbeat
}

// live returns a session that has not ended, and begins one if need be.
func (c *Claims) live(ctx context.Context) (*session, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-c.turn }()
	c.mu.Lock()
	s, closed := c.session, c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case s != nil && s.ctx.Err() == nil:
		return s, nil
	case s != nil:
		<-s.done
	}
	return c.begin(ctx)
}

func (c *Claims) begin(ctx context.Context) (*session, error) {
	begun := time.Now()
	_, boot := c.clock()
	lease, err := c.store.Grant(ctx, c.ttl)
	if err != nil {
		return nil, err
	}
	s := &session{c: c, lease: lease, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.timer = time.AfterFunc(c.ttl, s.late)
	s.extend(begun, boot)
	c.mu.Lock()
	c.session, c.owed = s, nil // what was owed went with the lease before
	c.mu.Unlock()
	go s.beat()
	return s, nil
}

// end ends the session for a reason; the first one counts.
func (s *session) end(cause error) {
	s.cancel(cause)
	s.timer.Stop()
}

func (s *session) late() {
	s.mu.Lock()
	failure := s.failure
	s.mu.Unlock()
	if failure == nil {
		failure = errors.New("the process stood still")
	}
	s.end(fmt.Errorf("%w: no heartbeat got through in time: %w", ErrLost, failure))
}

// extend moves the deadline. It counts from before the store was asked, so the store, which
// counts from when it answered, never ends the lease first.
func (s *session) extend(begun time.Time, boot time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.c.ttl - s.c.margin()
	s.renewed, s.failure = begun, nil
	s.deadline, s.asleep = begun.Add(left), boot+left
	s.timer.Reset(time.Until(s.deadline))
}

// beat renews the lease until the session ends. It is the only goroutine of an instance's
// claims.
func (s *session) beat() {
	defer close(s.done)
	every := s.c.ttl / 3
	tick := time.NewTicker(every / 4) // often enough to see within the margin that the host slept
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		_, boot := s.c.clock()
		s.mu.Lock()
		due, slept := time.Since(s.renewed) >= every, boot >= s.asleep
		s.mu.Unlock()
		if slept {
			s.end(fmt.Errorf("%w: the host slept", ErrLost))
			return
		}
		if due {
			s.renew()
		}
	}
}

// renew asks for more time. What fails for now is tried again at the next tick, until the
// deadline passes.
func (s *session) renew() {
	s.mu.Lock()
	ctx, cancel := context.WithDeadline(s.ctx, s.deadline)
	s.mu.Unlock()
	defer cancel()
	begun := time.Now()
	_, boot := s.c.clock()
	err := s.c.store.KeepAlive(ctx, s.lease)
	switch {
	case err == nil && s.ctx.Err() == nil:
		s.extend(begun, boot)
		s.c.pay(ctx)
		s.c.look(ctx)
	case errors.Is(err, storage.ErrNoLease):
		s.end(fmt.Errorf("%w: %w", ErrLost, err))
	case err != nil:
		s.mu.Lock()
		s.failure = err
		s.mu.Unlock()
	}
}

// pay deletes claims that are not wanted any more and could not be deleted before.
func (c *Claims) pay(ctx context.Context) {
	c.mu.Lock()
	owed := slices.Clone(c.owed)
	c.mu.Unlock()
	for _, d := range owed {
		e, err := c.read(ctx, d.ref)
		if err != nil {
			return
		}
		if _, r, err := decode(e); e.Created != 0 && err == nil && r.Nonce == d.nonce {
			if err := c.remove(ctx, d.ref, int64(e.Created)); err != nil && !errors.Is(err, storage.ErrConflict) {
				return
			}
		}
		c.mu.Lock()
		c.owed = slices.DeleteFunc(c.owed, func(o debt) bool { return o == d })
		c.mu.Unlock()
	}
}

// look ends the work whose claim was revoked. A look that fails is made up for by the next.
func (c *Claims) look(ctx context.Context) {
	c.mu.Lock()
	holds := make([]*hold, 0, len(c.holds))
	for h := range c.holds {
		holds = append(holds, h)
	}
	c.mu.Unlock()
	if len(holds) == 0 {
		return
	}
	claims, err := c.List(ctx)
	if err != nil {
		return
	}
	stands := map[string]int64{}
	for _, claim := range claims {
		stands[claim.Ref] = claim.Token
	}
	for _, h := range holds {
		if stands[h.ref] != h.token {
			h.cancel(fmt.Errorf("%s, token %d: %w: it was revoked", h.ref, h.token, ErrLost))
		}
	}
}
