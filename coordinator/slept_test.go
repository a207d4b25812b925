package coordinator_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// silent is a store that does not answer renewals any more.
type silent struct {
	storage.Store
	asked chan struct{}
}

func (s *silent) KeepAlive(ctx context.Context, _ storage.LeaseID) error {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestAHostThatSleptWhileItAskedDropsItsClaims: a renewal without an answer does not keep the process
// from seeing that the host slept meanwhile.
func TestAHostThatSleptWhileItAskedDropsItsClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slept atomic.Int64
		awake := still()
		clock := func() (string, time.Duration) {
			boot, since := awake()
			return boot, since + time.Duration(slept.Load())
		}
		store := &silent{Store: mem.New(), asked: make(chan struct{}, 1)}
		c := instance(store, "a", coordinator.WithClock(clock))
		err := c.Hold(t.Context(), "thing", func(ctx context.Context, _ coordinator.Claim) error {
			<-store.asked
			slept.Store(int64(time.Hour))
			begun := time.Now()
			<-ctx.Done()
			if took := time.Since(begun); took > ttl/12 {
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
