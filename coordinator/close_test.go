package coordinator_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage/mem"
)

func TestCloseEndsTheWorkAndFreesTheClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		a := instance(store, "a")
		started, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- a.Hold(t.Context(), "thing", func(ctx context.Context, _ coordinator.Claim) error {
				close(started)
				<-ctx.Done()
				return context.Cause(ctx)
			})
		}()
		<-started
		closeAll(t, a, a)
		if err := <-ended; !errors.Is(err, coordinator.ErrClosed) {
			t.Errorf("the work: %v", err)
		}
		if list, err := a.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("after Close: %v %v", list, err)
		}
		if err := a.Hold(t.Context(), "thing", nil); !errors.Is(err, coordinator.ErrClosed) {
			t.Errorf("hold after Close: %v", err)
		}
	})
}

// Work that does not end keeps its claim until it expires: freed at once, the next holder
// would act beside it.
func TestCloseDoesNotOvertakeWorkThatGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		a, b := instance(store, "a"), instance(store, "b")
		started, deaf := make(chan struct{}), make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			a.Hold(t.Context(), "thing", func(context.Context, coordinator.Claim) error {
				close(started)
				<-deaf
				return nil
			})
		}()
		<-started
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := a.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close: %v", err)
		}
		if list, _ := b.List(t.Context()); len(list) != 1 {
			t.Errorf("the claim was freed under the work: %v", list)
		}
		time.Sleep(ttl)
		if list, _ := b.List(t.Context()); len(list) != 0 {
			t.Errorf("a TTL later: %v", list)
		}
		close(deaf)
		<-done
		closeAll(t, a, b)
	})
}

func TestACancelledWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		a, b := instance(store, "a"), instance(store, "b", coordinator.WithLockTimeout(time.Hour))
		err := a.Hold(t.Context(), "thing", func(ctx context.Context, _ coordinator.Claim) error {
			short, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			if err := b.Hold(short, "thing", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the wait: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		closeAll(t, a, b)
	})
}
