package ledger

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/storage"
)

// A store that several hosts share is away for moments: a leader changes, a connection is made
// anew. What certainly did nothing, such as a read, is done again for about three seconds, and
// an error that is left then leaves the ledger as it was. The ledger breaks only where the log
// and the store may have come apart: when an append failed, or a commit behind one.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 1600 * time.Millisecond
)

// retry does something again whose error may pass by itself.
func retry(ctx context.Context, do func() error) error {
	for pause := firstPause; ; pause *= 2 {
		err := do()
		if err == nil || !passing(err) || ctx.Err() != nil || pause > lastPause {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func once(_ context.Context, do func() error) error { return do() }

// passing says that an error may pass by itself: it is none of those that say what is wrong.
func passing(err error) bool {
	for _, lasting := range []error{
		storage.ErrConflict, storage.ErrCompacted, storage.ErrFuture, storage.ErrCorrupt, storage.ErrBusy, storage.ErrNewer,
		storage.ErrForeign, storage.ErrNoLease, storage.ErrUnknown, storage.ErrInvalid, storage.ErrClosed,
		event.ErrNewer, ErrNotFound, ErrElsewhere, ErrForeignLog, ErrUnfinished, ErrRefused, errRaced, errOvertaken, context.Canceled,
		fs.ErrPermission, syscall.ENOSPC, syscall.EDQUOT,
	} {
		if errors.Is(err, lasting) {
			return false
		}
	}
	var young *YoungError
	return !errors.As(err, &young)
}

// retryableError is an error before which nothing was appended, and after which the store is what it
// was: the ledger goes on.
type retryableError struct{ err error }

func (e *retryableError) Error() string { return "ledger: not recorded: " + e.err.Error() }
func (e *retryableError) Unwrap() error { return e.err }

func retryable(err error) error {
	if err == nil {
		return nil
	}
	return &retryableError{err}
}

// isRetryable says that the ledger is whole after this error.
func isRetryable(err error) bool {
	var s *retryableError
	return errors.As(err, &s)
}
