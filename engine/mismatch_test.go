package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// versioned is a loop's source whose version changes.
func versioned(version *atomic.Value) []loop.Stack {
	return []loop.Stack{{Name: stack, Load: func(context.Context) ([]resource.Intent, error) {
		intents := wants(network("main"))
		intents[0].Version = version.Load().(string)
		return intents, nil
	}}}
}

// TestAMismatchIsAnAlertOnlyIfItLasts: a change reaches two hosts at different times, which is no
// alert.
func TestAMismatchIsAnAlertOnlyIfItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, one, two := pair(t)
		var first, second atomic.Value
		first.Store("one")
		second.Store("one")
		wakes := &loop.Wakes{}
		var d diary
		leave := one.loops(versioned(&first), loop.RunOptions{Apply: true, Wakes: wakes})
		time.Sleep(time.Second)
		stop := two.loops(versioned(&second), loop.RunOptions{Apply: true, Tell: d.tell})
		mismatches := func() (n int) {
			for _, c := range d.all() {
				for _, x := range c.Alerts {
					if x.Type == loop.ConfigurationMismatch {
						n++
					}
				}
			}
			return n
		}
		time.Sleep(10 * time.Second)
		first.Store("two")
		for range 3 { // it observes several times within seconds
			wakes.Wake("changed")
			time.Sleep(2 * time.Second)
		}
		second.Store("two")
		time.Sleep(5 * time.Minute)
		if cycles := len(d.all()); mismatches() != 0 || cycles < 4 {
			t.Errorf("%d alerts in %d cycles about a change in progress", mismatches(), cycles)
		}
		second.Store("three")
		time.Sleep(3 * time.Minute)
		if mismatches() == 0 {
			t.Error("a mismatch of minutes is no alert")
		}
		_ = stop()
		_ = leave()
	})
}

// unwatched are claims that cannot be waited for, for a while.
type unwatched struct {
	*coordinator.Claims
	until    time.Time
	failures atomic.Int64
}

func (u *unwatched) Await(ctx context.Context, ref string) error {
	if time.Now().Before(u.until) {
		u.failures.Add(1)
		return errors.New("the store has no leader for a moment")
	}
	return u.Claims.Await(ctx, ref)
}

// TestAHelperTakesTheLeadAfterErrorsOfTheStore: the leader and a part of the store may fail at the
// same time.
func TestAHelperTakesTheLeadAfterErrorsOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, one, two := pair(t)
		want := disks(100)
		b.cloud.Break(fake.Faults{Delay: 10 * time.Second})
		slowly := engine.ApplyOptions{Parallelism: 1}
		leave := one.loops(stackOf(wants(want...)), loop.RunOptions{Apply: true, Do: slowly})
		time.Sleep(time.Second)
		claims := &unwatched{Claims: two.claims, until: time.Now().Add(20 * time.Second)}
		two.engine = engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: two.ledger, Claims: claims})
		var d diary
		stop := two.loops(stackOf(wants(want...)), loop.RunOptions{Apply: true, Tell: d.tell, Do: slowly})
		time.Sleep(30 * time.Second)
		observations := observes(b)
		_ = leave()
		time.Sleep(30 * time.Second)
		if n := observes(b) - observations; n == 0 || claims.failures.Load() == 0 {
			t.Errorf("no observation for half a minute after the leader left; cycles: %+v", d.all())
		}
		_ = stop()
	})
}

var _ engine.Claims = (*unwatched)(nil)
