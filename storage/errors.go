package storage

import "errors"

// Errors of stores. Implementations wrap them with what and where.
var (
	// ErrConflict: a guard did not hold; nothing was changed.
	ErrConflict = errors.New("storage: a guard does not hold")
	// ErrCompacted: the revision asked for is older than the last compaction.
	ErrCompacted = errors.New("storage: that revision has been compacted")
	// ErrFuture: the revision asked for has not happened yet.
	ErrFuture = errors.New("storage: that revision is in the future")
	// ErrCorrupt: what is stored does not match its own sum or its own order.
	// Rebuild the store from the log.
	ErrCorrupt = errors.New("storage: damaged")
	// ErrBusy: another process holds the store longer than the time allowed.
	ErrBusy = errors.New("storage: busy")
	// ErrNewer: the store was written by a newer version of ovi.
	ErrNewer = errors.New("storage: written by a newer version of ovi")
	// ErrForeign: there is a file, but it is no store of ovi.
	ErrForeign = errors.New("storage: not an ovi store")
	// ErrNoLease: the lease has ended; nothing was changed.
	ErrNoLease = errors.New("storage: no such lease")
	// ErrTooShort: no lease of this store can end so soon.
	ErrTooShort = errors.New("storage: too short for a lease")
	// ErrUnknown: the commit may or may not have happened (a lost answer).
	ErrUnknown = errors.New("storage: outcome unknown")
	// ErrInvalid: the transaction is not well formed; nothing was changed.
	ErrInvalid = errors.New("storage: invalid transaction")
	// ErrClosed: the handle was closed.
	ErrClosed = errors.New("storage: closed")
)
