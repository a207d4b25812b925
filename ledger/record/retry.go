package record

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/storage"
)

// A shared store is away for moments: its leader changes, or a connection is made again. A call that
// certainly had no effect, such as a read, is repeated for about three seconds. An error after that leaves
// the ledger unchanged. The ledger breaks only if the log and the store may differ: when an append failed,
// or a commit after one.

// retry repeats do while the store marks its error as transient. Every other error is final and returned
// at once: others wait for the append lock.
func retry(ctx context.Context, do func() error) error {
	return storage.Retry(ctx, storage.Transient, do)
}

func once(_ context.Context, do func() error) error { return do() }

// retryableError is an error before which nothing was appended, and after which the store is
// unchanged: the ledger goes on.
type retryableError struct{ err error }

func (e *retryableError) Error() string { return "ledger: not recorded: " + e.err.Error() }
func (e *retryableError) Unwrap() error { return e.err }

func retryable(err error) error {
	if err == nil {
		return nil
	}
	return &retryableError{err}
}

// isRetryable reports whether the ledger is intact after this error.
func isRetryable(err error) bool {
	var s *retryableError
	return errors.As(err, &s)
}
