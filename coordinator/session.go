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

// Why the work ends before the claim can, and the claim ends within its TTL. Times count from the sending
// of the last successful renewal (0): the holder's times on its two clocks, the store's times on the
// store's clock.
//
//	every  = lives/3              it is renewed
//	left   = lives - margin       the contexts of the work end, on Go's clock by a timer, on the
//	                              boot's by reading it at most every/4 = lives/12 later, which
//	                              does not wait for the store
//	lives                         the store keeps the lease at least until here: it counts from when
//	                              it got the request, which is after 0
//	ttl                           the claim has expired, at the latest
//
// margin is lives/3 up to 6 s of lives, 2 s up to 10 s and lives/5 above, which is always more than
// lives/12: so a host that slept detects that before the lease can have ended, unless it slept at
// that time, and then its first tick ends the session before any work can go far. Calls already
// under way then are covered by the guard of the claim's token. Nothing here relies on ttl: the
// store grants less than the TTL by as much as it may be late (GrantWithin), and rejects a TTL that
// is too short. A store that keeps a lease longer, as etcd does after a change of its leader, makes
// others wait longer, which is safe.

// A session lasts as long as one lease. Its context ends before the lease can: when no renewal was
// confirmed in time on either clock, when the store reports that the lease has ended, or when the
// Claims are closed. The next Hold then starts another session.
type session struct {
	c       *Claims
	lease   storage.LeaseID
	isAlive time.Duration // at least, from each renewal; less than what Claims promise
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when the heartbeat has stopped

	mu       sync.Mutex
	renewed  time.Time
	deadline time.Time     // on Go's monotonic clock, which counts stops but not sleep
	asleep   time.Duration // the same on the clock of the boot, which counts both
	timer    *time.Timer
	failure  error // of the last heartbeat
	late     bool  // a renewal was overdue at the last check
}

// isLive returns a session that has not ended, and starts one if necessary.
func (c *Claims) isLive(ctx context.Context) (*session, error) {
	select {
	case c.leasing <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-c.leasing }()
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
	begun := time.Now()
	_, boot := c.clock()
	lease, lives, err := storage.GrantWithin(ctx, c.store, c.ttl)
	if err != nil {
		return nil, err
	}
	s = &session{c: c, lease: lease, isAlive: lives, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.extend(begun, boot)
	s.mu.Lock()
	s.timer = time.AfterFunc(min(time.Until(s.deadline), lives/12), s.guard)
	s.mu.Unlock()
	c.mu.Lock()
	c.session, c.unreleased = s, nil // unreleased claims ended with the lease before
	c.mu.Unlock()
	c.answered()
	go s.heartbeat()
	return s, nil
}

// end ends the session with a cause; the first one counts.
func (s *session) end(cause error) {
	s.cancel(cause)
	s.timer.Stop()
}

// guard ends the session when its time has passed on either clock, and otherwise sets a timer for the
// next check. It runs independently of the heartbeat, which may be waiting for an answer.
func (s *session) guard() {
	_, boot := s.c.clock()
	s.mu.Lock()
	left, slept, failure := time.Until(s.deadline), boot >= s.asleep, s.failure
	if left > 0 && !slept && s.ctx.Err() == nil {
		s.timer.Reset(min(left, s.isAlive/12))
		overdue := s.overdue()
		s.mu.Unlock()
		if overdue {
			s.c.silentSince(failure)
		}
		return
	}
	s.mu.Unlock()
	switch {
	case left > 0:
		s.end(fmt.Errorf("%w: the host slept", ErrLost))
	case failure == nil:
		s.end(fmt.Errorf("%w: no renewal succeeded in time: the process was stopped", ErrLost))
	default:
		s.end(fmt.Errorf("%w: no renewal succeeded in time: %w", ErrLost, failure))
	}
}

// extend moves the deadline. It counts from before the request, so the store, which counts from its
// answer, never ends the lease first.
func (s *session) extend(begun time.Time, boot time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.isAlive - margin(s.isAlive)
	s.renewed, s.failure = begun, nil
	s.deadline, s.asleep = begun.Add(left), boot+left
}

// heartbeat renews the lease until the session ends. It is the only goroutine of an instance's
// claims.
func (s *session) heartbeat() {
	defer close(s.done)
	every := s.isAlive / 3
	tick := time.NewTicker(every / 4) // the interval of retries
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		due := time.Since(s.renewed) >= every
		s.mu.Unlock()
		if due {
			s.renew()
		}
	}
}

// renew extends the lease. A failed renewal is retried at the next tick, until the deadline passes.
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
		s.c.answered()
		s.c.releaseOwed(ctx)
		s.c.inspect(ctx)
	case errors.Is(err, storage.ErrNoLease):
		s.end(fmt.Errorf("%w: %w", ErrLost, err))
	case err != nil:
		s.mu.Lock()
		s.failure = err
		s.mu.Unlock()
	}
}

// releaseOwed deletes unreleased claims.
func (c *Claims) releaseOwed(ctx context.Context) {
	c.mu.Lock()
	owed := slices.Clone(c.unreleased)
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
		c.unreleased = slices.DeleteFunc(c.unreleased, func(o unreleasedClaim) bool { return o == d })
		c.mu.Unlock()
	}
}

// inspect cancels the work whose claim was revoked. If the read fails, the next one does it.
func (c *Claims) inspect(ctx context.Context) {
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
