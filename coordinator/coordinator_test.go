package coordinator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

const ttl = 30 * time.Second

// link is a store over a connection that can be cut and that can lose answers.
type link struct {
	storage.Store
	cut    atomic.Bool
	lose   atomic.Int32 // that many answers to commits
	grants atomic.Int32
	beats  atomic.Int32
}

var errCut = errors.New("the connection is cut")

func (l *link) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if l.cut.Load() {
		return 0, errCut
	}
	rev, err := l.Store.Commit(ctx, tx)
	if err == nil && l.lose.Add(-1) >= 0 {
		return 0, storage.ErrUnknown
	}
	return rev, err
}

func (l *link) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	if l.cut.Load() {
		return errCut
	}
	l.beats.Add(1)
	return l.Store.KeepAlive(ctx, id)
}

func (l *link) Grant(ctx context.Context, d time.Duration) (storage.LeaseID, error) {
	l.grants.Add(1)
	return l.Store.Grant(ctx, d)
}

// still is the boot's clock of a host in a synctest bubble: it runs with the bubble's.
func still() func() (string, time.Duration) {
	begun := time.Now()
	return func() (string, time.Duration) { return "boot", time.Since(begun) }
}

func instance(s storage.Store, name string, opts ...coordinator.Option) *coordinator.Claims {
	who := coordinator.Identity{Instance: name, Host: "host-" + name, User: "anna", Run: "run-1", PID: 42}
	return coordinator.New(s, who, append([]coordinator.Option{coordinator.WithTTL(ttl), coordinator.WithClock(still())}, opts...)...)
}

func closeAll(t *testing.T, all ...*coordinator.Claims) {
	t.Helper()
	for _, c := range all {
		if err := c.Close(t.Context()); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// record commits a fact under a claim, as the ledger does.
func record(ctx context.Context, s storage.Store, claim coordinator.Claim, fact string) error {
	_, err := s.Commit(context.WithoutCancel(ctx), storage.Tx{
		Guards: []storage.Guard{coordinator.Guard(claim.Ref, claim.Token)},
		Ops:    []storage.Op{{Key: "fact/" + fact, Value: []byte(claim.Instance)}},
	})
	return err
}

// E3: of many who want one ref, one is inside at a time, and the token grows.
func TestOneHolderAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		var inside, entered atomic.Int32
		var last atomic.Int64
		var wg sync.WaitGroup
		all := []*coordinator.Claims{}
		for i := range 3 {
			c := instance(store, fmt.Sprint("i", i), coordinator.WithLockTimeout(time.Hour))
			all = append(all, c)
			for range 4 {
				wg.Go(func() {
					err := c.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
						if n := inside.Add(1); n != 1 {
							t.Errorf("%d are inside", n)
						}
						defer inside.Add(-1)
						if before := last.Swap(claim.Token); before >= claim.Token {
							t.Errorf("token %d after %d", claim.Token, before)
						}
						time.Sleep(time.Duration(claim.Token%7) * 11 * time.Second)
						entered.Add(1)
						return record(ctx, store, claim, fmt.Sprint(claim.Token))
					})
					if err != nil {
						t.Errorf("hold: %v", err)
					}
				})
			}
		}
		wg.Wait()
		if n := entered.Load(); n != 12 {
			t.Errorf("%d got in, want 12", n)
		}
		closeAll(t, all...)
	})
}

func TestAHeldClaimNamesItsHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		a, b := instance(store, "a"), instance(store, "b", coordinator.WithLockTimeout(10*time.Second))
		err := a.Hold(t.Context(), "aws/us-east-1/ec2/web-0", func(ctx context.Context, claim coordinator.Claim) error {
			begun := time.Now()
			err := b.Hold(ctx, claim.Ref, func(context.Context, coordinator.Claim) error {
				t.Error("two are inside")
				return nil
			})
			var held *coordinator.ClaimedError
			if !errors.As(err, &held) || held.Claim.Instance != "a" || held.Claim.Token != claim.Token || held.Claim.Run != "run-1" {
				t.Errorf("got %v", err)
			}
			for _, want := range []string{"aws/us-east-1/ec2/web-0", "anna@host-a", "run-1", "pid 42", "ovi claims"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
			if took := time.Since(begun); took < 10*time.Second || took > 11*time.Second {
				t.Errorf("it waited for %s, want 10 s", took)
			}
			list, err := b.List(ctx)
			if err != nil || len(list) != 1 || list[0].Token != claim.Token || !list[0].Since.Equal(claim.Since) || list[0].TTL != ttl {
				t.Errorf("list: %+v %v", list, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if list, err := b.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("after the release: %v %v", list, err)
		}
		closeAll(t, a, b)
	})
}

func TestALongHoldIsRenewedOnOneLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &link{Store: mem.New()}
		c := instance(l, "a")
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				err := c.Hold(t.Context(), fmt.Sprint("thing", i), func(ctx context.Context, claim coordinator.Claim) error {
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-time.After(20 * ttl):
						return record(ctx, l, claim, "done")
					}
				})
				if err != nil {
					t.Errorf("hold: %v", err)
				}
			})
		}
		wg.Wait()
		if n := l.grants.Load(); n != 1 {
			t.Errorf("%d leases for one instance", n)
		}
		if n := l.beats.Load(); n < 55 || n > 65 {
			t.Errorf("%d heartbeats in 20 TTL, want about 60 however many the claims", n)
		}
		closeAll(t, c)
	})
}

// The context ends before the claim can expire; after the TTL the claim is free with no
// human; and the late holder's outcome is refused.
func TestACutOffHolderLosesItsVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		l := &link{Store: store}
		a, b := instance(l, "a"), instance(store, "b", coordinator.WithLockTimeout(time.Hour))
		err := a.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
			time.Sleep(3*ttl + time.Second)
			l.cut.Store(true)
			begun := time.Now()
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), coordinator.ErrLost) || !errors.Is(context.Cause(ctx), errCut) {
				t.Errorf("the cause is %v", context.Cause(ctx))
			}
			if list, err := b.List(t.Context()); err != nil || len(list) != 1 {
				t.Errorf("the context ended after the claim had: %v %v", list, err)
			}
			err := b.Hold(t.Context(), "thing", func(ctx context.Context, rival coordinator.Claim) error {
				if rival.Token <= claim.Token {
					t.Errorf("token %d after %d", rival.Token, claim.Token)
				}
				if err := record(ctx, store, claim, "late"); !errors.Is(err, storage.ErrConflict) {
					t.Errorf("a late outcome beside a rival: %v", err)
				}
				return record(ctx, store, rival, "rival")
			})
			if err != nil {
				t.Errorf("the rival: %v", err)
			}
			if took := time.Since(begun); took > ttl+2*time.Second {
				t.Errorf("the claim was free after %s, want %s", took, ttl)
			}
			if err := record(ctx, store, claim, "late"); !errors.Is(err, storage.ErrConflict) {
				t.Errorf("a late outcome: %v", err)
			}
			l.cut.Store(false)
			return nil
		})
		if !errors.Is(err, coordinator.ErrLost) {
			t.Errorf("hold: %v", err)
		}
		again := a.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
			return record(ctx, store, claim, "again")
		})
		if again != nil {
			t.Errorf("after the connection came back: %v", again)
		}
		closeAll(t, a, b)
	})
}

// An unreachable store is reported once while the work continues, and once when it answers again.
func TestASilentStoreIsToldOfOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &link{Store: mem.New()}
		var mu sync.Mutex
		var told []string
		var cut time.Time
		c := instance(l, "a", coordinator.WithStoreHealth(func(err error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprint(err))
			if after := time.Since(cut); err != nil && (after < ttl/4 || after > ttl*3/4) {
				t.Errorf("told after %s of a TTL of %s", after, ttl)
			}
		}))
		for range 2 {
			err := c.Hold(t.Context(), "thing", func(ctx context.Context, _ coordinator.Claim) error {
				time.Sleep(3 * ttl)
				mu.Lock()
				cut = time.Now()
				mu.Unlock()
				l.cut.Store(true)
				<-ctx.Done()
				return context.Cause(ctx)
			})
			if !errors.Is(err, coordinator.ErrLost) {
				t.Errorf("hold: %v", err)
			}
			time.Sleep(10 * ttl)
			l.cut.Store(false)
		}
		if err := c.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]string{errCut.Error(), "<nil>", errCut.Error(), "<nil>"}, told); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		closeAll(t, c)
	})
}

func TestASleptHostDropsItsClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slept atomic.Int64
		awake := still()
		clock := func() (string, time.Duration) {
			boot, since := awake()
			return boot, since + time.Duration(slept.Load())
		}
		c := instance(mem.New(), "a", coordinator.WithClock(clock))
		err := c.Hold(t.Context(), "thing", func(ctx context.Context, _ coordinator.Claim) error {
			time.Sleep(time.Second)
			slept.Store(int64(time.Hour))
			begun := time.Now()
			<-ctx.Done()
			if took := time.Since(begun); took > 4*time.Second {
				t.Errorf("it took %s to detect that the host slept", took)
			}
			return context.Cause(ctx)
		})
		if !errors.Is(err, coordinator.ErrLost) || !strings.Contains(err.Error(), "slept") {
			t.Errorf("hold: %v", err)
		}
		closeAll(t, c)
	})
}

// E4: only the holder gives its claim back; a revoked one's work ends, and its release does
// not touch the claim of who came after.
func TestARevokedHolderEndsAndReleasesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		a, b := instance(store, "a"), instance(store, "b")
		rival, rivalHas := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		err := a.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
			if _, err := b.Revoke(ctx, "thing", claim.Token+1); !errors.Is(err, coordinator.ErrNotClaimed) {
				t.Errorf("revoking another token: %v", err)
			}
			gone, err := b.Revoke(ctx, "thing", claim.Token)
			if err != nil || gone.Instance != "a" {
				t.Errorf("revoke: %+v %v", gone, err)
			}
			wg.Go(func() {
				err := b.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
					close(rivalHas)
					<-rival
					return record(ctx, store, claim, "rival")
				})
				if err != nil {
					t.Errorf("the rival: %v", err)
				}
			})
			<-rivalHas
			begun := time.Now()
			<-ctx.Done()
			if took := time.Since(begun); took > ttl {
				t.Errorf("it took %s to learn of the revocation", took)
			}
			return nil
		})
		if !errors.Is(err, coordinator.ErrLost) {
			t.Errorf("hold: %v", err)
		}
		if list, err := b.List(t.Context()); err != nil || len(list) != 1 || list[0].Instance != "b" {
			t.Errorf("the rival's claim: %v %v", list, err)
		}
		close(rival)
		wg.Wait()
		if _, err := b.Revoke(t.Context(), "thing", 0); !errors.Is(err, coordinator.ErrNotClaimed) {
			t.Errorf("revoking what is not claimed: %v", err)
		}
		closeAll(t, a, b)
	})
}

// A claim whose answer was lost must not stay for as long as its instance lives.
func TestALostAnswerLeavesNoClaimBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &link{Store: mem.New()}
		a := instance(l, "a")
		keep, kept := make(chan struct{}), make(chan struct{})
		go func() { // another claim keeps the heartbeat going
			defer close(kept)
			a.Hold(t.Context(), "other", func(context.Context, coordinator.Claim) error { <-keep; return nil })
		}()
		synctest.Wait()
		l.lose.Store(1000)
		err := a.Hold(t.Context(), "thing", func(context.Context, coordinator.Claim) error {
			t.Error("it went on without knowing")
			return nil
		})
		l.lose.Store(0)
		if !errors.Is(err, storage.ErrUnknown) {
			t.Errorf("hold: %v", err)
		}
		time.Sleep(ttl + time.Second) // not at a heartbeat, which pays debts beside us
		if list, err := a.List(t.Context()); err != nil || len(list) != 1 || list[0].Ref != "other" {
			t.Errorf("a TTL later: %v %v", list, err)
		}
		for n := range int32(4) { // the responses to the claim and to its release
			l.lose.Store(n)
			begun, worked := time.Now(), false
			err = a.Hold(t.Context(), "thing", func(context.Context, coordinator.Claim) error { worked = true; return nil })
			if err != nil || !worked || time.Since(begun) > time.Second {
				t.Errorf("%d lost responses: %v after %s, worked: %t", n, err, time.Since(begun), worked)
			}
		}
		close(keep)
		<-kept
		closeAll(t, a)
	})
}
