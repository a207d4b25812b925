package bolt

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/storage"
)

const patience = 10 * time.Second

// enters lets n operations wait, and counts those that get their turn and those that fail with an error.
func enters(t *testing.T, q *queue, n int, work func()) (got, failed *atomic.Int32) {
	got, failed = &atomic.Int32{}, &atomic.Int32{}
	for range n {
		go func() {
			switch err := q.enter(t.Context(), patience); {
			case err == nil:
				got.Add(1)
				work()
				q.leave()
			case errors.Is(err, storage.ErrBusy):
				failed.Add(1)
			}
		}()
	}
	return got, failed
}

// TestAQueueBehindASlowDiskIsNotBusy: 100 actions that record themselves at the same time wait for a minute and a half
// in all, and none of them fails.
func TestAQueueBehindASlowDiskIsNotBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		got, failed := enters(t, &q, 100, func() {
			q.begin()
			time.Sleep(900 * time.Millisecond)
		})
		time.Sleep(2 * time.Minute)
		if got.Load() != 100 || failed.Load() != 0 {
			t.Errorf("%d operations got their turn and %d failed, want 100 and 0", got.Load(), failed.Load())
		}
	})
}

// TestAStuckOperationOfTheProcessIsNamed: another process is not suspected.
func TestAStuckOperationOfTheProcessIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		if err := q.enter(t.Context(), patience); err != nil {
			t.Fatal(err)
		}
		q.begin()
		begun := time.Now()
		if err := q.enter(t.Context(), patience); !errors.Is(err, errStuck) || time.Since(begun) != patience {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.enter(ctx, patience); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestALockOfAnotherProcessEndsAllWaitsInTime: those behind an operation that waits for the lock do not wait for it one
// after the other.
func TestALockOfAnotherProcessEndsAllWaitsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		if err := q.enter(t.Context(), patience); err != nil {
			t.Fatal(err)
		}
		got, failed := enters(t, &q, 100, func() {})
		time.Sleep(patience)
		synctest.Wait()
		if got.Load() != 0 || failed.Load() != 100 {
			t.Errorf("%d operations got their turn and %d failed, want 0 and 100", got.Load(), failed.Load())
		}
	})
}
