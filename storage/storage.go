package storage

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Revision numbers the states of a store. It starts at 0 (empty), grows by one or more with
// each commit that changes unleased keys, and never goes back.
type Revision int64

// Now as the revision of a read means the newest one.
const Now Revision = 0

// Entry is one version of one key. Value belongs to the caller.
type Entry struct {
	Key      string
	Value    []byte
	Created  Revision // of the commit that made this life of the key
	Modified Revision // of the commit that wrote this version
	Deleted  bool     // only in histories and changes: this version ended the key's life
}

// A Guard must hold for a transaction to commit: the key's Created revision equals Created
// (0: the key must not exist) and, where Modified is not 0, its Modified revision equals that.
//
// The Created revision of a leased key is the fencing token of a claim: it only grows, also
// over deletions of the key (Kleppmann, "How to do distributed locking", 2016).
type Guard struct {
	Key      string
	Created  Revision
	Modified Revision
}

// Op writes or deletes one key. A key stands at most once in a transaction.
type Op struct {
	Key    string
	Value  []byte
	Delete bool
	// Lease ties the key to a lease: it vanishes with it, keeps no history and, on a
	// single-host store, moves only the counter of leased keys, not the store's revision.
	// Leased and unleased keys live under different prefixes: a key never changes sides.
	Lease LeaseID
}

// Tx is all or nothing.
type Tx struct {
	Guards []Guard
	Ops    []Op
}

// LeaseID names a lease. 0 is no lease.
type LeaseID int64

// Errors of stores. Implementations wrap them with what and where.
var (
	// ErrConflict: a guard did not hold; nothing was changed.
	ErrConflict = errors.New("storage: a guard does not hold")
	// ErrCompacted: the revision asked for is older than the last compaction.
	ErrCompacted = errors.New("storage: that revision has been compacted")
	// ErrFuture: the revision asked for has not happened yet.
	ErrFuture = errors.New("storage: that revision is in the future")
	// ErrCorrupt: a value does not match its own sum. Rebuild the store from the log.
	ErrCorrupt = errors.New("storage: damaged value")
	// ErrBusy: another process holds the store longer than the time allowed.
	ErrBusy = errors.New("storage: busy")
	// ErrNewer: the store was written by a newer version of ovi.
	ErrNewer = errors.New("storage: written by a newer version of ovi")
	// ErrNoLease: the lease has ended.
	ErrNoLease = errors.New("storage: no such lease")
	// ErrUnknown: the commit may or may not have happened (a lost answer).
	ErrUnknown = errors.New("storage: outcome unknown")
)

// Store keeps revisioned keys. All methods may be called from many goroutines, and several
// processes may use one store at a time. Every method is bounded by its context.
type Store interface {
	// Range yields the entries under prefix in key order as they stood at a revision
	// (Now for the newest) and says which revision it reads. The whole iteration sees one
	// revision. An error ends it: what came before an error is not the whole.
	// ErrCompacted and ErrFuture come with the first step.
	Range(ctx context.Context, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error)
	// Commit applies the transaction if all guards hold, and returns when it is durable.
	// ErrConflict means no change; ErrUnknown that only a read can tell.
	// A transaction of only leased ops returns the leased keys' own counter, which is the
	// Created revision of the keys it made.
	Commit(ctx context.Context, tx Tx) (Revision, error)
	// History yields all versions of one key that are not compacted, oldest first, with
	// the deletions. Leased keys have none but the present one.
	History(ctx context.Context, key string) iter.Seq2[Entry, error]
	// Changes yields every version written after one revision and up to and including
	// another (Now: the newest), in order of revision, then key. Leased keys are left out.
	Changes(ctx context.Context, prefix string, after, upTo Revision) iter.Seq2[Entry, error]
	Maintainer
	Leaser
	// Close releases what the handle holds. It does not end leases.
	Close() error
}

// Maintainer is what operators need of a store.
type Maintainer interface {
	// Compact forgets versions older than before, but never the newest version of a live
	// key at or below it. Reads below it give ErrCompacted.
	Compact(ctx context.Context, before Revision) error
	// Stats says how the store stands.
	Stats(ctx context.Context) (Stats, error)
}

// Stats describes a store.
type Stats struct {
	Revision  Revision
	Compacted Revision // reads below it are refused
	Keys      int      // live keys, without leased ones
	Bytes     int64    // on disk
}

// Leaser grants leases: promises that keys vanish by themselves when their holder stops
// renewing. The TTL is judged by the store's side, never by comparing two machines' clocks.
type Leaser interface {
	// Grant makes a lease that lives at least ttl from now.
	Grant(ctx context.Context, ttl time.Duration) (LeaseID, error)
	// KeepAlive lets the lease live at least its ttl from now. ErrNoLease: it has ended.
	KeepAlive(ctx context.Context, id LeaseID) error
	// Revoke ends a lease and deletes its keys. Revoking an ended lease is no error.
	Revoke(ctx context.Context, id LeaseID) error
}
