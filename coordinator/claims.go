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

// Claims takes, keeps and gives back the claims of one instance. Its methods may be called
// from many goroutines.
type Claims struct {
	store        storage.Store
	who          Identity
	ttl          time.Duration
	lockTimeout  time.Duration
	clock        boottime.Clock
	reportHealth func(error) // that the store is silent, and is not any more

	turn       chan struct{} // held while a lease is being granted
	mu         sync.Mutex
	closed     bool
	drained    chan struct{} // made by Close, closed when the last Hold has returned
	active     int           // calls of Hold under way
	session    *session
	holds      map[*hold]struct{}
	unreleased []unreleasedClaim
	silent     bool   // the store is silent, and that was told
	self       uint64 // drawn: several processes may have one Identity.Instance
	nonce      int
}

// An Option changes how claims are taken.
type Option func(*Claims)

// WithTTL says how long after its holder's last sign of life a claim is free for others, at the
// latest; 30 s unless told. The holder counts on less: on etcd, a second. Shorter frees sooner,
// and loses claims to shorter pauses; what is too short for the store is refused with
// storage.ErrTooShort by Ready and Hold.
func WithTTL(d time.Duration) Option { return func(c *Claims) { c.ttl = d } }

// WithLockTimeout says how long Hold waits for a claim that someone else has; not at all
// unless told.
func WithLockTimeout(d time.Duration) Option { return func(c *Claims) { c.lockTimeout = d } }

// WithClock replaces the clock that finds out that the host slept.
func WithClock(clock boottime.Clock) Option { return func(c *Claims) { c.clock = clock } }

// New makes the claims of one instance. It does nothing yet: the first Hold takes a lease.
func New(store storage.Store, who Identity, opts ...Option) *Claims {
	c := &Claims{
		store: store, who: who, ttl: 30 * time.Second, clock: boottime.Host(),
		turn: make(chan struct{}, 1), holds: map[*hold]struct{}{}, self: rand.Uint64(),
	}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// margin is how long before a lease can end the holder's contexts do: room for a pause
// between looking at the clock and acting, and for clocks that run at different rates.
func margin(lives time.Duration) time.Duration {
	return min(max(lives/5, 2*time.Second), lives/3)
}

// Ready takes the lease that the claims hang on, if there is none yet. storage.ErrTooShort: the
// store cannot keep the promise of WithTTL.
func (c *Claims) Ready(ctx context.Context) error {
	if _, err := c.isLive(ctx); err != nil {
		return fmt.Errorf("claims with a TTL of %s: %w", c.ttl, err)
	}
	return nil
}

// List returns the claims that stand, in order of their refs.
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

// Revoke ends the claim on a ref that has this token (0: whichever stands) and returns it,
// or ErrNotHeld. Its holder learns of it with its next heartbeat, and before that with its
// next guarded commit, which is refused. The caller puts it on record.
func (c *Claims) Revoke(ctx context.Context, ref string, token int64) (Claim, error) {
	e, err := c.read(ctx, ref)
	if err != nil {
		return Claim{}, fmt.Errorf("revoke %s: %w", ref, err)
	}
	if e.Created == 0 || token != 0 && int64(e.Created) != token {
		return Claim{}, fmt.Errorf("%s: %w", ref, ErrNotHeld)
	}
	claim, _, err := decode(e)
	if err != nil { // what cannot be read can still be ended
		claim = Claim{Ref: ref, Token: int64(e.Created)}
	}
	err = c.remove(ctx, ref, claim.Token)
	if errors.Is(err, storage.ErrConflict) {
		return Claim{}, fmt.Errorf("%s: %w any more", ref, ErrNotHeld)
	}
	return claim, err
}

// Close ends the work under all claims, waits for it, and gives all claims back. If the
// work does not end in time (ErrWorking) the claims are left to expire by themselves: what may
// still act must not be overtaken.
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
	s := c.session // nobody makes another one any more
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

// read returns the claim on a ref as it stands, or the zero entry.
func (c *Claims) read(ctx context.Context, ref string) (storage.Entry, error) {
	return storage.Get(ctx, c.store, key(ref), storage.Now)
}

// remove deletes the claim with this token, and no other.
func (c *Claims) remove(ctx context.Context, ref string, token int64) error {
	_, err := c.store.Commit(ctx, storage.Tx{
		Guards: []storage.Guard{Guard(ref, token)},
		Ops:    []storage.Op{{Key: key(ref), Delete: true}},
	})
	return err
}
