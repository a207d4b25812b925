package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ErrNotEmpty is returned for a copy or rebuild into a store with keys.
var ErrNotEmpty = errors.New("the store is not empty")

// CopyResult describes a copy.
type CopyResult struct {
	Revisions int              `json:"revisions"` // commits, each one again
	Keys      int              `json:"keys"`      // versions and deletions
	Base      storage.Revision `json:"base"`      // of the source, which has nothing older; 0 means that it has everything
	Upto      storage.Revision `json:"upto"`      // of the source
	Digest    string           `json:"digest"`    // of both, see Sequence
}

// Copy copies a store into an empty one: what it had at the oldest revision that can be read, and
// then each commit again, so that the copy has the histories, times, bindings, blessings and the
// positions of logs. Claims are not copied. The revisions have new numbers (in a shared store
// NewEpoch records that). No instance may record meanwhile. At the end the digests of both stores
// must be equal, and the source must not have changed. After an error the new store may be partly
// filled, and another Copy into it is refused with ErrNotEmpty.
func Copy(ctx context.Context, from, to storage.Store) (CopyResult, error) {
	if err := empty(ctx, to); err != nil {
		return CopyResult{}, err
	}
	c, err := span(ctx, from)
	if err != nil {
		return c, err
	}
	first, err := c.copyBase(ctx, from, to)
	if err != nil {
		return c, err
	}
	if err := c.copyChanges(ctx, from, to); err != nil {
		return c, err
	}
	if c.Digest, err = Sequence(ctx, from, c.Base, c.Upto); err != nil {
		return c, err
	}
	got, err := Sequence(ctx, to, first, storage.Now)
	if err == nil && got != c.Digest {
		err = fmt.Errorf("copy: the digests differ, %s and %s: another process wrote to the new store; copy into another one",
			c.Digest, got)
	}
	if err != nil {
		return c, err
	}
	if _, now, err := from.Range(ctx, rows.KeyLog, storage.Now); err != nil || now != c.Upto {
		return c, errors.Join(err, fmt.Errorf(
			"copy: the source went from revision %d to %d meanwhile: stop the instances that record into it, and copy into "+
				"another store", c.Upto, now))
	}
	return c, nil
}

// empty returns ErrNotEmpty with the first key of a store that has keys.
func empty(ctx context.Context, s storage.Store) error {
	entries, _, err := s.Range(ctx, "", storage.Now)
	if err != nil {
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		return fmt.Errorf("%w: it has %s", ErrNotEmpty, e.Key)
	}
	return nil
}

// span finds the oldest revision of a store that can be read.
func span(ctx context.Context, from storage.Store) (CopyResult, error) {
	stats, err := from.Stats(ctx)
	if err != nil {
		return CopyResult{}, err
	}
	c := CopyResult{Base: stats.Compacted, Upto: stats.Revision}
	if c.Base == 0 {
		return c, nil
	}
	if _, _, err := from.Range(ctx, rows.KeyLog, c.Base); errors.Is(err, storage.ErrCompacted) {
		c.Base = c.Upto // its server compacted more on its own
	} else if err != nil {
		return c, err
	}
	return c, nil
}

// copyBase writes what the base had as one commit, and returns its revision.
func (c *CopyResult) copyBase(ctx context.Context, from, to storage.Store) (storage.Revision, error) {
	if c.Base == 0 {
		return 0, nil
	}
	entries, _, err := from.Range(ctx, "", c.Base)
	if err != nil {
		return 0, err
	}
	var tx storage.Tx
	for e, err := range entries {
		if err != nil {
			return 0, err
		}
		if !isClaim(e) && e.Key != rows.KeyEpoch {
			tx.Ops = append(tx.Ops, storage.Op{Key: e.Key, Value: e.Value})
		}
	}
	return c.put(ctx, to, tx)
}

// copyChanges commits each later revision again. Writes of one commit have the same revision, and are
// one commit again: a reader of the copy at any revision sees the same state as a reader of the source.
func (c *CopyResult) copyChanges(ctx context.Context, from, to storage.Store) error {
	var tx storage.Tx
	at := storage.Revision(0)
	for e, err := range from.Changes(ctx, "", c.Base, c.Upto) {
		if err != nil {
			return err
		}
		if e.Key == rows.KeyEpoch {
			continue
		}
		if e.Modified != at && len(tx.Ops) > 0 {
			if _, err := c.put(ctx, to, tx); err != nil {
				return err
			}
			tx = storage.Tx{}
		}
		at = e.Modified
		tx.Ops = append(tx.Ops, storage.Op{Key: e.Key, Value: e.Value, Delete: e.Deleted})
	}
	if len(tx.Ops) == 0 {
		return nil
	}
	_, err := c.put(ctx, to, tx)
	return err
}

// put commits one transaction and counts it. An error names the number of the commit that failed.
func (c *CopyResult) put(ctx context.Context, to storage.Store, tx storage.Tx) (storage.Revision, error) {
	rev, err := to.Commit(ctx, tx)
	if err != nil {
		return 0, fmt.Errorf("copy: commit %d: %w", c.Revisions+1, err)
	}
	c.Revisions++
	c.Keys += len(tx.Ops)
	return rev, nil
}

// isClaim reports whether an entry is a claim. A copy of it would have no lease, and would never expire.
func isClaim(e storage.Entry) bool {
	return len(e.Key) > len(rows.KeyClaim) && e.Key[:len(rows.KeyClaim)] == rows.KeyClaim
}

// Sequence returns the digest of what a store has had since a revision, commit by commit, whatever its
// revision numbers: its content at the base (0 means none) and the writes of each commit. A copy has the
// sequence of its source.
func Sequence(ctx context.Context, store storage.Store, base, upTo storage.Revision) (string, error) {
	h := sha256.New()
	if base > 0 {
		entries, _, err := store.Range(ctx, "", base)
		if err != nil {
			return "", err
		}
		for e, err := range entries {
			if err != nil {
				return "", err
			}
			if !isClaim(e) && e.Key != rows.KeyEpoch {
				sum(h, e)
			}
		}
	}
	at := base
	for e, err := range store.Changes(ctx, "", base, upTo) {
		if err != nil {
			return "", err
		}
		if e.Key == rows.KeyEpoch {
			continue
		}
		if e.Modified != at {
			at = e.Modified
			h.Write([]byte("commit\x00"))
		}
		sum(h, e)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// NewEpoch records in a copy of a shared store that its revisions are numbered again. Records that
// are in the logs already name revisions by the old numbers. A merge sorts by epoch first, so these
// come before all that is recorded into the copy.
func NewEpoch(ctx context.Context, from, to storage.Store) error {
	n, err := record.ReadEpoch(ctx, from)
	if err != nil {
		return err
	}
	return record.SetEpoch(ctx, to, n+1)
}
