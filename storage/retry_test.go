package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// TestOnlyUnavailableIsTransient holds every error that a store returns against Retry: a refusal is final and is
// returned at once, whichever store it comes from.
func TestOnlyUnavailableIsTransient(t *testing.T) {
	errs := []error{
		storage.ErrConflict, storage.ErrCompacted, storage.ErrFuture, storage.ErrCorrupt, storage.ErrBusy, storage.ErrNewer,
		storage.ErrForeign, storage.ErrNoLease, storage.ErrTooShort, storage.ErrUnknown, storage.ErrInvalid,
		storage.ErrClosed, context.Canceled, context.DeadlineExceeded, errors.New("no space left on device"),
		fmt.Errorf("%w: %w", storage.ErrUnknown, storage.ErrUnavailable),
	}
	synctest.Test(t, func(t *testing.T) {
		for _, final := range errs {
			begun, tries := time.Now(), 0
			err := storage.Retry(t.Context(), storage.Transient, func() error { tries++; return final })
			if !errors.Is(err, final) || tries != 1 || time.Since(begun) != 0 {
				t.Errorf("%v: tried %d times in %s, and returned %v", final, tries, time.Since(begun), err)
			}
		}
		begun, tries := time.Now(), 0
		err := storage.Retry(t.Context(), storage.Transient, func() error { tries++; return storage.ErrUnavailable })
		if took := time.Since(begun); !errors.Is(err, storage.ErrUnavailable) || tries != 8 || took > 4*time.Second {
			t.Errorf("unavailable: tried %d times in %s, and returned %v", tries, took, err)
		}
	})
}
