package coordinator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/boottime"
	"github.com/ovi-project/ovi/storage"
)

// Claims acquires, renews and releases the claims of one instance. Its methods are safe for
// concurrent use.
type Claims struct {
	store        storage.Store
	who          Identity
	ttl          time.Duration
	lockTimeout  time.Duration
	clock        boottime.Clock
	reportHealth func(error) // called when the store stops answering, and when it answers again

	leasing    chan struct{} // holds an element while a lease is granted
	mu         sync.Mutex
	closed     bool
	drained    chan struct{} // created by Close, closed when the last Hold has returned
	active     int           // running calls of Hold
	session    *session
	holds      map[*hold]struct{}
	unreleased []unreleasedClaim
	silent     bool   // the store does not answer, and that was reported
	self       uint64 // random: several processes may have one Identity.Instance
	nonce      int
}

// An Option changes how claims are acquired.
type Option func(*Claims)

// WithTTL sets how long after its last renewal a claim expires, at the latest; the default is 30 s.
// The holder relies on less: on etcd, a second less. A shorter TTL expires sooner, and loses claims
// to shorter pauses; Ready and Hold reject one that is too short for the store with
// storage.ErrTooShort.
func WithTTL(d time.Duration) Option { return func(c *Claims) { c.ttl = d } }

// WithLockTimeout sets how long Hold waits for a claim of another instance; the default is not to
// wait.
func WithLockTimeout(d time.Duration) Option { return func(c *Claims) { c.lockTimeout = d } }

// WithClock replaces the clock that detects that the host slept.
func WithClock(clock boottime.Clock) Option { return func(c *Claims) { c.clock = clock } }

// New returns the claims of one instance. The first Hold takes a lease.
func New(store storage.Store, who Identity, opts ...Option) *Claims {
	c := &Claims{
		store: store, who: who, ttl: 30 * time.Second, clock: boottime.Host(),
		leasing: make(chan struct{}, 1), holds: map[*hold]struct{}{}, self: rand.Uint64(),
	}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// margin is the time between the end of the holder's contexts and the earliest end of a lease: it allows
// for a pause between reading the clock and acting, and for clocks that run at different rates.
func margin(lives time.Duration) time.Duration {
	return min(max(lives/5, 2*time.Second), lives/3)
}

// Ready takes the lease of the claims, if there is none yet. storage.ErrTooShort: the store cannot
// end leases within the TTL.
func (c *Claims) Ready(ctx context.Context) error {
	if _, err := c.isLive(ctx); err != nil {
		return fmt.Errorf("claims with a TTL of %s: %w", c.ttl, err)
	}
	return nil
}

// List returns the current claims, in order of their refs.
func (c *Claims) List(ctx context.Context) ([]Claim, error) {
	seq, _, err := c.store.Range(ctx, Prefix, storage.Now)
	if err != nil {
		return nil, fmt.Errorf("claims: %w", err)
	}
	var all []Claim
	for e, err := range seq {
		if err != nil {
			return nil, fmt.Errorf("claims: %w", err)
		}
		claim, _, err := decode(e)
		if err != nil {
			return nil, err
		}
		all = append(all, claim)
	}
	return all, nil
}

// Revoke ends the claim on a ref that has this token (0 means any) and returns it, or ErrNotClaimed. Its
// holder detects that with its next heartbeat, or earlier with its next guarded commit, which fails.
// The caller records it.
func (c *Claims) Revoke(ctx context.Context, ref string, token int64) (Claim, error) {
	e, err := c.read(ctx, ref)
	if err != nil {
		return Claim{}, fmt.Errorf("revoke %s: %w", ref, err)
	}
	if e.Created == 0 || token != 0 && int64(e.Created) != token {
		return Claim{}, fmt.Errorf("%s: %w", ref, ErrNotClaimed)
	}
	claim, _, err := decode(e)
	if err != nil { // an unreadable claim can still be ended
		claim = Claim{Ref: ref, Token: int64(e.Created)}
	}
	err = c.remove(ctx, ref, claim.Token)
	if errors.Is(err, storage.ErrConflict) {
		return Claim{}, fmt.Errorf("%s: %w: it was released", ref, ErrNotClaimed)
	}
	return claim, err
}

// Close cancels the work under all claims, waits for it, and releases all claims. If the work does
// not end in time (ErrWorking) the claims expire by their TTL: what may still act must not be
// overtaken.
func (c *Claims) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	if c.drained == nil {
		c.drained = make(chan struct{})
		if c.active == 0 {
			close(c.drained)
		}
	}
	if c.session != nil {
		c.session.end(ErrClosed)
	}
	c.mu.Unlock()
	select {
	case <-c.drained:
	case <-ctx.Done():
		return fmt.Errorf("close claims: %w: %w; its claims expire in %s", context.Cause(ctx), ErrWorking, c.ttl)
	}
	s := c.session // closed: no other one is created
	if s == nil {
		return nil
	}
	s.end(ErrClosed)
	<-s.done
	if err := c.store.Revoke(ctx, s.lease); err != nil {
		return fmt.Errorf("close claims: %w; they expire in %s", err, c.ttl)
	}
	return nil
}

// read returns the current claim on a ref, or the zero entry.
func (c *Claims) read(ctx context.Context, ref string) (storage.Entry, error) {
	return storage.Get(ctx, c.store, key(ref), storage.Now)
}

// remove deletes the claim with this token, and no other. If a response is lost, it tries again; a claim that is gone
// then was deleted by the attempt before.
func (c *Claims) remove(ctx context.Context, ref string, token int64) error {
	tries := 0
	return storage.RetryShort(ctx, lost, func() error {
		_, err := c.store.Commit(ctx, storage.Tx{
			Guards: []storage.Guard{Guard(ref, token)},
			Ops:    []storage.Op{{Key: key(ref), Delete: true}},
		})
		if tries++; tries > 1 && errors.Is(err, storage.ErrConflict) {
			return nil
		}
		return err
	})
}
