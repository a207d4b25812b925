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

// Why the work ends before the claim can, and the claim ends within its TTL. Times are told from
// when the last renewal that got through was sent (0); all of the holder's are counted on its own
// two clocks, all of the store's on the store's.
//
//	every  = lives/3              it is renewed
//	left   = lives - margin       the contexts of the work end, on Go's clock by a timer, on the
//	                              boot's by a look at it at most every/4 = lives/12 later, which
//	                              waits for no answer of the store
//	lives                         the store keeps the lease at least until here: it counts from when
//	                              it got the request, which is after 0
//	ttl    = what was promised    the claim is free for others, at the latest
//
// margin is lives/3 up to 6 s of lives, 2 s up to 10 s and lives/5 above, which is always more than
// lives/12: so also a host that slept sees that before the lease can have ended, unless it slept
// through that very moment, and then its first tick, before any work can go far, ends it. What
// was already on its way then is what the guard of the claim's token is for. Nothing here counts
// on ttl: the store grants less than was promised by as much as it may be late (GrantWithin), and
// if it cannot it refuses. A store that keeps a lease longer than promised, as etcd does after it
// changed its leader, makes others wait longer, and nothing unsafe.

// A session is the life of one lease. Its context ends before the lease can: when no renewal
// was confirmed in time on either clock, when the store says that the lease is gone, or when
// the Claims are closed. The next Hold then begins another session.
type session struct {
	c       *Claims
	lease   storage.LeaseID
	isAlive time.Duration // at least, from each renewal; less than what Claims promise
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when the heartbeat has stopped

	mu       sync.Mutex
	renewed  time.Time
	deadline time.Time     // on Go's monotonic clock, which sees stops but not sleep
	asleep   time.Duration // the same on the clock of the boot, which sees both
	timer    *time.Timer
	failure  error // of the last heartbeat
	late     bool  // a renewal was overdue at the last look
}

// isLive returns a session that has not ended, and begins one if need be.
func (c *Claims) isLive(ctx context.Context) (*session, error) {
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
	lease, lives, err := storage.GrantWithin(ctx, c.store, c.ttl)
	if err != nil {
		return nil, err
	}
	s := &session{c: c, lease: lease, isAlive: lives, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.extend(begun, boot)
	s.mu.Lock()
	s.timer = time.AfterFunc(min(time.Until(s.deadline), lives/12), s.guard)
	s.mu.Unlock()
	c.mu.Lock()
	c.session, c.unreleased = s, nil // what was owed went with the lease before
	c.mu.Unlock()
	c.answered()
	go s.heartbeat()
	return s, nil
}

// end ends the session for a reason; the first one counts.
func (s *session) end(cause error) {
	s.cancel(cause)
	s.timer.Stop()
}

// guard ends the session when its time has passed on either clock, and looks again before it
// can have. It runs beside the heartbeat, which may be waiting for an answer.
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
		s.end(fmt.Errorf("%w: no heartbeat got through in time: the process stood still", ErrLost))
	default:
		s.end(fmt.Errorf("%w: no heartbeat got through in time: %w", ErrLost, failure))
	}
}

// extend moves the deadline. It counts from before the store was asked, so the store, which
// counts from when it answered, never ends the lease first.
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
	tick := time.NewTicker(every / 4) // so often is a renewal tried again
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

// releaseOwed deletes claims that are not wanted any more and could not be deleted before.
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

// inspect ends the work whose claim was revoked. A look that fails is made up for by the next.
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
