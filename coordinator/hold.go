package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// A hold is one claim while work runs under it.
type hold struct {
	ref    string
	token  int64
	cancel context.CancelCauseFunc
}

// An unreleasedClaim is a claim that should be deleted while the store did not answer.
type unreleasedClaim struct{ ref, nonce string }

// Hold acquires the claim on a ref, runs do under it and releases it. If another instance has it,
// Hold waits as long as WithLockTimeout allows and returns a *ClaimedError.
//
// The context of do ends, with ErrLost as its cause, before the claim can expire, and when
// it was revoked; do must then start nothing more. do does not delete the claim itself. It records
// under Guard(ref, claim.Token).
//
// Hold returns the error of do, joined with ErrLost if the claim ended before do did.
func (c *Claims) Hold(ctx context.Context, ref string, do func(ctx context.Context, claim Claim) error) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	s, claim, nonce, err := c.acquire(ctx, ref)
	if err != nil {
		return err
	}
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	defer stop()
	h := &hold{ref, claim.Token, cancel}
	c.track(h)
	err = context.Cause(s.ctx)
	if err == nil {
		err = do(work, claim)
	}
	c.untrack(h)
	if cause := context.Cause(work); err != nil && errors.Is(cause, ErrLost) && !errors.Is(err, ErrLost) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return c.release(ctx, claim, nonce, err)
}

// release deletes the claim, even if the context has ended. That it still existed when it was
// deleted proves that it existed all the time.
func (c *Claims) release(ctx context.Context, claim Claim, nonce string, workErr error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ttl/3)
	defer cancel()
	err := c.remove(ctx, claim.Ref, claim.Token)
	switch {
	case err == nil:
		return workErr
	case errors.Is(err, storage.ErrConflict):
		if errors.Is(workErr, ErrLost) {
			return workErr
		}
		return errors.Join(workErr, fmt.Errorf("%s, token %d: %w before the work ended", claim.Ref, claim.Token, ErrLost))
	}
	c.keepUnreleased(unreleasedClaim{claim.Ref, nonce}) // deleted by the heartbeat, or by the end of the lease
	return workErr
}

// acquire tries until it has the claim, or the lock timeout ends.
func (c *Claims) acquire(ctx context.Context, ref string) (*session, Claim, string, error) {
	begun, wait, silent := time.Now(), firstPause, time.Time{}
	for {
		s, err := c.isLive(ctx)
		if err != nil {
			return nil, Claim{}, "", fmt.Errorf("claim %s: %w", ref, err)
		}
		claim, nonce, err := c.try(ctx, s, ref)
		if err == nil {
			return s, claim, nonce, nil
		}
		var held *ClaimedError
		switch {
		case errors.Is(err, storage.ErrNoLease):
			s.end(fmt.Errorf("%w: the lease has ended", ErrLost))
		case lost(err) && (silent.IsZero() || time.Since(silent) < maxSilence):
			if silent.IsZero() {
				silent = time.Now()
			}
		case !errors.As(err, &held):
			return nil, Claim{}, "", fmt.Errorf("claim %s: %w", ref, err)
		case held.Claim.Token != 0 && time.Since(begun) >= c.lockTimeout:
			return nil, Claim{}, "", held
		case held.Claim.Token != 0:
			wait = firstPause
			if err := c.awaitUntil(ctx, ref, begun.Add(c.lockTimeout)); err != nil {
				return nil, Claim{}, "", fmt.Errorf("claim %s: %w", ref, err)
			}
		}
		select { // other instances wait for the same claim
		case <-ctx.Done():
			return nil, Claim{}, "", fmt.Errorf("claim %s: %w", ref, context.Cause(ctx))
		case <-time.After(rand.N(wait)):
			wait = min(2*wait, time.Second)
		}
	}
}

const (
	firstPause = 20 * time.Millisecond
	// maxSilence is the time for which a claim is tried again when the store's responses are lost.
	maxSilence = 3 * time.Second
)

// lost reports whether the store did not answer. A claim may be tried again after that: if the first attempt was
// applied, the second one finds its own claim and releases it.
func lost(err error) bool { return errors.Is(err, storage.ErrUnknown) || storage.Transient(err) }

// Await returns nil when the ref is not claimed, and an error when ctx ends or the store does not
// answer. Another instance may claim the ref before a following Hold.
func (c *Claims) Await(ctx context.Context, ref string) error {
	again := min(max(c.ttl/3, time.Second), 10*time.Second) // whether or not the store reports a change
	return storage.Await(ctx, c.store, key(ref), again, func(ctx context.Context) (bool, error) {
		e, err := c.read(ctx, ref)
		return e.Created == 0, err
	})
}

// awaitUntil is Await up to a time; reaching that time is not an error.
func (c *Claims) awaitUntil(ctx context.Context, ref string, end time.Time) error {
	bounded, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if err := c.Await(bounded, ref); err != nil && (bounded.Err() == nil || ctx.Err() != nil) {
		return err
	}
	return nil
}

// try makes one attempt. A *ClaimedError names the holder of the claim.
func (c *Claims) try(ctx context.Context, s *session, ref string) (Claim, string, error) {
	r := record{Identity: c.who, Since: time.Now().UTC(), TTLms: c.ttl.Milliseconds(), Nonce: c.nextNonce()}
	value, err := json.Marshal(r)
	if err != nil {
		return Claim{}, "", err
	}
	token, err := c.store.Commit(ctx, storage.Tx{
		Guards: []storage.Guard{{Key: key(ref)}},
		Ops:    []storage.Op{{Key: key(ref), Value: value, Lease: s.lease}},
	})
	mine := Claim{Ref: ref, Token: int64(token), Identity: c.who, Since: r.Since, TTL: c.ttl}
	switch {
	case err == nil:
		return mine, r.Nonce, nil
	case errors.Is(err, storage.ErrNoLease), errors.Is(err, storage.ErrInvalid):
		return Claim{}, "", err
	case errors.Is(err, storage.ErrConflict):
		return Claim{}, "", c.claimOn(ctx, ref)
	}
	// The outcome is unknown until a later read.
	c.keepUnreleased(unreleasedClaim{ref, r.Nonce})
	return Claim{}, "", err
}

// claimOn returns the claim that made an attempt fail. A claim that was released meanwhile has no token:
// the caller tries again.
func (c *Claims) claimOn(ctx context.Context, ref string) error {
	e, err := c.read(ctx, ref)
	if err != nil {
		return err
	}
	claim := Claim{Ref: ref}
	if e.Created != 0 {
		var r record
		if claim, r, err = decode(e); err != nil {
			return err
		}
		if c.owesRelease(unreleasedClaim{ref, r.Nonce}) { // our own, from an attempt whose answer was lost
			c.releaseOwed(ctx)
			claim = Claim{Ref: ref}
		}
	}
	return &ClaimedError{Claim: claim, Until: time.Now().Add(claim.TTL)}
}

func (c *Claims) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.active++
	return nil
}

func (c *Claims) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	if c.closed && c.active == 0 {
		close(c.drained)
	}
}

func (c *Claims) track(h *hold) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds[h] = struct{}{}
}

func (c *Claims) untrack(h *hold) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.holds, h)
}

func (c *Claims) keepUnreleased(d unreleasedClaim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unreleased = append(c.unreleased, d)
}

func (c *Claims) owesRelease(d unreleasedClaim) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.unreleased, d)
}

func (c *Claims) nextNonce() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nonce++
	return fmt.Sprintf("%x/%d", c.self, c.nonce)
}
