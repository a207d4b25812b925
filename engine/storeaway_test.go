package engine_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/storage"
)

// departing is a shared store that does not answer while it is away.
type departing struct {
	storage.Store
	away atomic.Bool
}

func (s *departing) absent(ctx context.Context) error {
	if !s.away.Load() {
		return nil
	}
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
	}
	return fmt.Errorf("no answer: %w", storage.ErrUnavailable)
}

func (s *departing) Range(
	ctx context.Context, prefix string, at storage.Revision,
) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	if err := s.absent(ctx); err != nil {
		return nil, 0, err
	}
	return s.Store.Range(ctx, prefix, at)
}

func (s *departing) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if err := s.absent(ctx); err != nil {
		return 0, err
	}
	return s.Store.Commit(ctx, tx)
}

func (s *departing) Grant(ctx context.Context, ttl time.Duration) (storage.LeaseID, error) {
	if err := s.absent(ctx); err != nil {
		return 0, err
	}
	return s.Store.Grant(ctx, ttl)
}

func (s *departing) KeepAlive(ctx context.Context, id storage.LeaseID) error {
	if err := s.absent(ctx); err != nil {
		return err
	}
	return s.Store.KeepAlive(ctx, id)
}

func (s *departing) Revoke(ctx context.Context, id storage.LeaseID) error {
	if err := s.absent(ctx); err != nil {
		return err
	}
	return s.Store.Revoke(ctx, id)
}

// TestLaw12_TheStoreGoesAwayInTheMiddleOfAFlight: for a moment, and the action goes on; for longer than its claim
// lives, and the call is cut off, its result is found by an observation, and it runs once at a time. In both cases a
// commit is applied soon after the store answers again, next to what runs.
func TestLaw12_TheStoreGoesAwayInTheMiddleOfAFlight(t *testing.T) {
	for name, x := range map[string]struct {
		away   time.Duration
		starts int
	}{
		"a moment":                   {5 * time.Second, 1},
		"longer than its claim":      {5 * time.Minute, 2},
		"until the action has ended": {15 * time.Minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := blank(t)
				store := &departing{Store: base.store}
				base.store = store
				b := base.elsewhere("host-0")
				defer b.stop()
				var now, most atomic.Int64
				base.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
					if c.Verb != fake.Create || c.Ref.Name != "slow" {
						return nil
					}
					most.Store(max(most.Load(), now.Add(1)))
					defer now.Add(-1)
					select {
					case <-time.After(10 * time.Minute):
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}})
				var d diary
				var s commits
				s.commit(disk("slow", 10))
				stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
				time.Sleep(30 * time.Second)
				store.away.Store(true)
				s.commit(disk("slow", 10), disk("edge", 20))
				time.Sleep(x.away)
				if n := b.creates("edge"); n > 0 {
					t.Errorf("%d actions started without a record", n)
				}
				store.away.Store(false)
				time.Sleep(time.Minute)
				if o, _, _ := b.cloud.Find(ref("disk", "edge")); sizeOf(o) != 20 {
					t.Errorf("the commit waits a minute after the store is back: %v", o.Attrs)
				}
				time.Sleep(25 * time.Minute)
				if n := b.startsOf("slow"); n != x.starts || most.Load() != 1 || len(b.cloud.Resources(here)) != 2 {
					t.Errorf("%d starts, want %d; %d calls at once; resources %+v", n, x.starts, most.Load(), b.cloud.Resources(here))
				}
				if n := len(b.recordsOf(event.TypeRecovered)); n != x.starts-1 {
					t.Errorf("%d actions recovered, want %d", n, x.starts-1)
				}
				if err := b.ledger.Broken(); err != nil {
					t.Errorf("the ledger is broken: %v", err)
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
				base.cloud.Break(fake.Faults{})
				b.settled(s.intents)
			})
		})
	}
}
