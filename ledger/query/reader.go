package query

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// ErrNotFound is the error for an entry that is not recorded.
var ErrNotFound = errors.New("not recorded")

// StoreReads are the reads of a storage.Store.
type StoreReads interface {
	Range(
		ctx context.Context, prefix string, at storage.Revision,
	) (iter.Seq2[storage.Entry, error], storage.Revision, error)
	History(ctx context.Context, key string) iter.Seq2[storage.Entry, error]
	Changes(ctx context.Context, prefix string, after, upTo storage.Revision) iter.Seq2[storage.Entry, error]
	Stats(ctx context.Context) (storage.Stats, error)
}

// LogReads are the reads of a wal.Log.
type LogReads interface {
	Read(from wal.Seq) iter.Seq2[wal.Batch, error]
	RandomReader() *wal.RandomReader
	First() (wal.Seq, time.Time, error)
	Since(t time.Time) (wal.Seq, error)
	Frontier() wal.Frontier
	TornWrite() *wal.TornWrite
	PublicKey() ed25519.PublicKey
}

// Reader reads the store and the log of a ledger and writes neither. Its methods may be called
// from many goroutines.
type Reader struct {
	store    storage.Store
	log      *wal.Log
	instance string
	run      string
	cache    readCache
}

// NewReader reads a store, and the log of an instance.
func NewReader(store storage.Store, log *wal.Log, instance, run string) *Reader {
	return &Reader{store: store, log: log, instance: instance, run: run}
}

// Instance is the id of this data directory.
func (r *Reader) Instance() string { return r.instance }

// Run is the ULID of this run.
func (r *Reader) Run() string { return r.run }

// Store returns read access to the store. The value has no other methods, so that a caller cannot
// get at the writing ones by a type assertion.
func (r *Reader) Store() StoreReads { return struct{ StoreReads }{r.store} }

// Log returns read access to the log.
func (r *Reader) Log() LogReads { return struct{ LogReads }{r.log} }

// Oldest is the oldest revision that can still be read.
func (r *Reader) Oldest(ctx context.Context) (storage.Revision, error) {
	return storage.Oldest(ctx, r.store)
}

// Get returns the entry of one key. If the key is absent, the entry is the zero Entry.
func (r *Reader) Get(ctx context.Context, key string, at storage.Revision) (storage.Entry, error) {
	return storage.Get(ctx, r.store, key, at)
}

// Versions calls each with the versions of a key that are still readable, oldest first; it stops
// at the first error.
func (r *Reader) Versions(ctx context.Context, key string, each func(storage.Entry) error) error {
	for e, err := range r.store.History(ctx, key) {
		if err != nil {
			return err
		}
		if err := each(e); err != nil {
			return fmt.Errorf("ledger: %s at revision %d: %w", key, e.Modified, err)
		}
	}
	return nil
}

// OpenOn is the action on a resource without a recorded result; false if there is none.
func (r *Reader) OpenOn(ctx context.Context, ref resource.Ref) (rows.OpenAction, bool, error) {
	var o rows.OpenAction
	found, err := r.Load(ctx, rows.Of(rows.KeyOpen, ref), storage.Now, &o)
	if err != nil {
		return o, false, fmt.Errorf("ledger: open action on %s: %w", ref, err)
	}
	return o, found, nil
}

// Entries calls each with every entry under a prefix. An error names the key. A value is lent: each must not
// keep it.
func (r *Reader) Entries(
	ctx context.Context, prefix string, at storage.Revision, each func(storage.Entry) error,
) error {
	found, _, err := storage.Scan(ctx, r.store, prefix, at)
	if err != nil {
		return err
	}
	for e, err := range found {
		if err != nil {
			return err
		}
		if err := each(e); err != nil {
			return fmt.Errorf("ledger: %s: %w", e.Key, err)
		}
	}
	return nil
}

// Load decodes the value of a key at a revision; false if the key is absent, and v is then
// unchanged.
func (r *Reader) Load(ctx context.Context, key string, at storage.Revision, v any) (bool, error) {
	e, err := r.Get(ctx, key, at)
	if err != nil || e.Value == nil {
		return false, err
	}
	if err := json.Unmarshal(e.Value, v); err != nil {
		return false, fmt.Errorf("ledger: %s: %w", key, err)
	}
	return true, nil
}
