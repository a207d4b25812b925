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
	Created  Revision // of the commit that made this life of the key
	Modified Revision // of the commit that wrote this version
	Deleted  bool     // only in histories and changes: this version ended the key's life
}

// LeaseID names a lease. 0 is no lease.
type LeaseID int64

// Store keeps revisioned keys. All methods may be called from many goroutines, and several
// processes may use one store at a time. Every method is bounded by its context. A method
// never blocks while its caller iterates, so the body of a loop over a Range may use the
// store.
type Store interface {
	// Range yields the live entries under prefix in key order as they stood at a revision
	// (Now for the newest) and says which revision it reads. The whole iteration sees one
	// revision. An error ends it: what came before an error is not the whole.
	// ErrCompacted and ErrFuture come at once, as Range's own error; ErrCompacted also comes
	// in the middle when a compaction passes a reader. Leased keys show in reads at Now only.
	Range(ctx context.Context, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error)
	// Commit applies the transaction if all guards hold, and returns when it is durable.
	// ErrConflict and ErrNoLease mean no change; ErrUnknown that only a read can tell.
	// What changes nothing (no operations, or deletes of absent keys) moves no revision.
	// A transaction of only leased ops returns the leased keys' own counter, which is the
	// Created revision of the keys it made; any other returns the store's revision.
	Commit(ctx context.Context, tx Tx) (Revision, error)
	// History yields all versions of one key that are not compacted, oldest first, with
	// the deletions. Leased keys have none but the present one.
	History(ctx context.Context, key string) iter.Seq2[Entry, error]
	// Changes yields every version written after one revision and up to and including
	// another (Now: the newest), in order of revision, then key. Leased keys are left out.
	// ErrCompacted: after is older than the last compaction, so something may be missing.
	Changes(ctx context.Context, prefix string, after, upTo Revision) iter.Seq2[Entry, error]
	Maintainer
	Leaser
	// Close releases what the handle holds. It does not end leases.
	Close() error
}

// Maintainer is what operators need of a store.
type Maintainer interface {
	// Compact forgets the versions that no read at before or later can see; the newest
	// version of a live key is never one of them. Reads below before give ErrCompacted
	// from then on. Compacting again, or further back, is no error and does nothing;
	// ErrFuture: before has not happened yet.
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
