package storage

import "errors"

// Errors of stores. Implementations wrap them with what and where.
var (
	// ErrConflict: a guard failed; nothing was changed.
	ErrConflict = errors.New("storage: a guard failed")
	// ErrCompacted: the revision asked for is older than the last compaction.
	ErrCompacted = errors.New("storage: that revision has been compacted")
	// ErrFuture: the store has not reached the revision yet.
	ErrFuture = errors.New("storage: that revision is in the future")
	// ErrCorrupt: the content does not match its checksum or its order.
	// Rebuild the store from the log.
	ErrCorrupt = errors.New("storage: damaged")
	// ErrBusy: another process used the store for longer than the time allowed.
	ErrBusy = errors.New("storage: busy")
	// ErrNewer: the store was written by a newer version of ovi.
	ErrNewer = errors.New("storage: written by a newer version of ovi")
	// ErrForeign: the file exists but is not a store of ovi.
	ErrForeign = errors.New("storage: not an ovi store")
	// ErrNoLease: the lease has ended; nothing was changed.
	ErrNoLease = errors.New("storage: no such lease")
	// ErrTooShort: a lease of this store cannot end so soon.
	ErrTooShort = errors.New("storage: too short for a lease")
	// ErrUnavailable: the store did not answer, and may answer the same request later (its leader
	// changes, a connection was lost). Only a store returns it; see Transient.
	ErrUnavailable = errors.New("storage: not available for now")
	// ErrUnknown: the commit may or may not have been applied (a lost answer).
	ErrUnknown = errors.New("storage: outcome unknown")
	// ErrInvalid: the transaction is malformed; nothing was changed.
	ErrInvalid = errors.New("storage: invalid transaction")
	// ErrFull: the store takes no writes until there is room; it can be read.
	ErrFull = errors.New("storage: out of space")
	// ErrClosed: the handle was closed.
	ErrClosed = errors.New("storage: closed")
)

// Transient reports whether a request certainly changed nothing and may succeed when it is repeated.
// Every error that a store did not mark so is final: it is returned at once.
func Transient(err error) bool {
	return errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrUnknown)
}
