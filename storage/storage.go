package storage

import (
	"context"
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
	Created  Revision // of the commit that created the key, after its last deletion
	Modified Revision // of the commit that wrote this version
	Deleted  bool     // only in histories and changes: this version deleted the key
}

// LeaseID names a lease. 0 is no lease.
type LeaseID int64

// Store keeps revisioned keys. All methods may be called from many goroutines, and several
// processes may use one store at a time. Every method is bounded by its context. A method
// never blocks while its caller iterates, so the body of a loop over a Range may use the
// store.
type Store interface {
	// Range yields the live entries under prefix in key order at a revision (Now for the
	// newest) and returns the revision that it reads. The whole iteration reads one
	// revision. An error ends it: the entries before it are incomplete.
	// ErrCompacted and ErrFuture are Range's own errors; ErrCompacted also ends an iteration
	// that a compaction overtakes. Leased keys are part of reads at Now only.
	Range(ctx context.Context, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error)
	// Commit applies the transaction if all guards hold, and returns when it is durable.
	// ErrConflict and ErrNoLease: no change; ErrUnknown: only a read shows the outcome.
	// A commit without changes (no operations, or deletes of absent keys) moves no revision.
	// A transaction of only leased ops returns the leased keys' own counter, which is the
	// Created revision of the keys it made; any other returns the store's revision.
	Commit(ctx context.Context, tx Tx) (Revision, error)
	// History yields all versions of one key that are not compacted, oldest first, with
	// the deletions. Leased keys have only the current one.
	History(ctx context.Context, key string) iter.Seq2[Entry, error]
	// Changes yields every version written after one revision and up to and including
	// another (Now: the newest), in order of revision, then key, without leased keys.
	// ErrCompacted: after is older than the last compaction, so something may be missing.
	Changes(ctx context.Context, prefix string, after, upTo Revision) iter.Seq2[Entry, error]
	Maintainer
	Leaser
	// Close releases the handle. It does not end leases.
	Close() error
}

// Maintainer is the interface of a store for operators.
type Maintainer interface {
	// Compact removes the versions that no read at before or later returns; the newest
	// version of a live key is never one of them. Reads below before return ErrCompacted
	// from then on. Compacting again, or further back, does nothing and returns nil;
	// ErrFuture: the store has not reached before yet.
	Compact(ctx context.Context, before Revision) error
	// Stats returns the size and revision of the store.
	Stats(ctx context.Context) (Stats, error)
}

// Stats describes a store.
type Stats struct {
	Revision  Revision
	Compacted Revision // reads below it return ErrCompacted
	Keys      int      // live keys, without leased ones
	Bytes     int64    // on disk
}

// Leaser grants leases: their keys are deleted when their holder stops renewing. The store's
// clock measures the TTL; two machines' clocks are never compared.
type Leaser interface {
	// Grant creates a lease that lasts at least ttl from now.
	Grant(ctx context.Context, ttl time.Duration) (LeaseID, error)
	// KeepAlive makes the lease last at least its ttl from now. ErrNoLease: it has ended.
	KeepAlive(ctx context.Context, id LeaseID) error
	// Revoke ends a lease and deletes its keys. Revoking an ended lease returns nil.
	Revoke(ctx context.Context, id LeaseID) error
}
