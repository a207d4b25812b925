package coordinator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// A turn is one piece of work in a random history: who, on what, when, how long, and whether
// the worker stands still and deaf for a while in the middle.
type turn struct {
	who, ref          int
	start, work, deaf time.Duration
}

// A fault cuts an instance off the store for a while.
type fault struct {
	who             int
	start, duration time.Duration
}

func seconds(t *rapid.T, most int, what string) time.Duration {
	return time.Duration(rapid.IntRange(0, most*10).Draw(t, what)) * time.Second / 10
}

// Whatever is cut off, stands still or takes long: no two workers that heed their context
// are ever inside for one ref, tokens grow in the order of what was recorded, and nothing is
// recorded under a token that was overtaken.
func TestNoHistoryHasTwoHolders(t *testing.T) {
	drawn.Check(t, func(rt *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) turn {
			return turn{
				rapid.IntRange(0, 2).Draw(t, "who"), rapid.IntRange(0, 1).Draw(t, "ref"),
				seconds(t, 100, "start"), seconds(t, 60, "work"), max(0, seconds(t, 120, "deaf")-60*time.Second),
			}
		}), 1, 12).Draw(rt, "turns")
		faults := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fault {
			return fault{rapid.IntRange(0, 2).Draw(t, "who"), seconds(t, 100, "start"), seconds(t, 60, "duration")}
		}), 0, 4).Draw(rt, "faults")
		synctest.Test(t, func(t *testing.T) { play(t, turns, faults) })
		if t.Failed() {
			rt.Fatal("see above")
		}
	})
}

func play(t *testing.T, turns []turn, faults []fault) {
	store := mem.New()
	var links []*link
	var instances []*coordinator.Claims
	for i := range 3 {
		links = append(links, &link{Store: store})
		instances = append(instances, instance(links[i], fmt.Sprint("i", i), coordinator.WithLockTimeout(2*time.Minute)))
	}
	inside := make([]sync.Mutex, 2)
	var wg sync.WaitGroup
	for _, f := range faults {
		wg.Go(func() {
			time.Sleep(f.start)
			links[f.who].cut.Store(true)
			time.Sleep(f.duration)
			links[f.who].cut.Store(false)
		})
	}
	for _, w := range turns {
		wg.Go(func() {
			time.Sleep(w.start)
			err := instances[w.who].Hold(t.Context(), fmt.Sprint("ref", w.ref), func(ctx context.Context, claim coordinator.Claim) error {
				if !inside[w.ref].TryLock() {
					t.Errorf("two are inside ref%d", w.ref)
					return nil
				}
				select {
				case <-ctx.Done():
				case <-time.After(w.work):
				}
				inside[w.ref].Unlock()
				time.Sleep(w.deaf)
				err := record(ctx, store, claim, fmt.Sprintf("ref%d/%d", w.ref, claim.Token))
				if ctx.Err() == nil && err != nil {
					t.Errorf("refused while the context stood: %v", err)
				}
				return err
			})
			if err != nil && !errors.Is(err, coordinator.ErrLost) && !errors.Is(err, errCut) && !errors.As(err, new(*coordinator.ClaimedError)) {
				t.Errorf("hold: %v", err)
			}
		})
	}
	wg.Wait()
	last := map[string]string{}
	for e, err := range store.Changes(t.Context(), "fact/", 0, storage.Now) {
		if err != nil {
			t.Error(err)
		}
		ref, token, _ := strings.Cut(strings.TrimPrefix(e.Key, "fact/"), "/")
		token = fmt.Sprintf("%20s", token)
		if last[ref] >= token {
			t.Errorf("%s: recorded under token %s after %s", ref, token, last[ref])
		}
		last[ref] = token
	}
	closeAll(t, instances...)
}

// TestSiblingsDoNotTakeEachOthersClaims: processes on one data directory are one instance. What
// one of them tried without an answer is not what the other holds.
func TestSiblingsDoNotTakeEachOthersClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		broken := &link{Store: store}
		one, other := instance(broken, "same"), instance(store, "same")
		broken.cut.Store(true)
		err := one.Hold(t.Context(), "ref", func(context.Context, coordinator.Claim) error { return nil })
		if !errors.Is(err, errCut) {
			t.Fatalf("cut off, it gives %v", err)
		}
		err = other.Hold(t.Context(), "ref", func(ctx context.Context, _ coordinator.Claim) error {
			broken.cut.Store(false)
			time.Sleep(2 * ttl) // the first one's heartbeat looks after what it left behind
			return ctx.Err()
		})
		if err != nil {
			t.Errorf("the other process lost its claim: %v", err)
		}
		closeAll(t, one, other)
	})
}
