// Package replay rebuilds a store from audit logs, compares it with the log, merges the logs of several instances
// in the order of their revisions, and copies stores. It fills empty stores only.
package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"iter"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Result describes the log that a store was rebuilt from.
type Result struct {
	Instance string
	First    wal.Seq // of the log; more than 1: it was trimmed, and revisions have new numbers
	Last     wal.Seq
	Revision storage.Revision
}

// Trimmed reports whether the log no longer has its beginning.
func (r Result) Trimmed() bool { return r.First > 1 }

// Replay rebuilds a store from the log of a data directory alone; the live store may be damaged or
// lost, and is not used. The log is only read. A trimmed log gives a store without the facts that
// only the removed records have, see Result.Trimmed. After an error into may be partly filled and
// is of no use.
func Replay(ctx context.Context, dir string, into storage.Store) (out Result, err error) {
	log, err := wal.Open(ledger.LogPath(dir), wal.ReadOnly())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if out.First, _, err = log.First(); err != nil {
		return out, err
	}
	out.Instance = ulid.ULID(log.ID()).String()
	p, err := rebuild(ctx, out.Instance, log, into)
	if err == nil {
		out.Revision, out.Last = p.Revision(), p.Seq()
	}
	return out, err
}

// Comparison is the result of comparing two stores.
type Comparison struct {
	From, To     storage.Revision // the compared range; both 0 means the present values
	DigestA      string
	DigestB      string
	Equal        bool
	PartA, PartB storage.Entry // where they first differ; the zero Entry: that store ends there
}

// CompareHistories compares two stores from a revision on, up to another: what they had then, and
// every version since. Leased keys are omitted.
func CompareHistories(ctx context.Context, a, b ledger.StoreReads, from, to storage.Revision) (Comparison, error) {
	whole := func(x, y storage.Entry) bool {
		return x.Key == y.Key && x.Created == y.Created && x.Modified == y.Modified && x.Deleted == y.Deleted &&
			bytes.Equal(x.Value, y.Value)
	}
	return compare(history(ctx, a, from, to), history(ctx, b, from, to), whole, Comparison{From: from, To: to})
}

// Unlogged is the first change of a live store behind what its log made: no record says it. It is the zero
// Entry if there is none, or if the log went on since.
func Unlogged(ctx context.Context, live ledger.StoreReads, behind storage.Revision) (first storage.Entry, err error) {
	for e, err := range live.Changes(ctx, "", behind, storage.Now) {
		switch {
		case err != nil:
			return storage.Entry{}, err
		case strings.HasPrefix(e.Key, rows.KeyLog):
			return storage.Entry{}, nil
		case first.Key == "" && rows.IsFact(e.Key):
			first = e
		}
	}
	return first, nil
}

// CompareLive compares the present keys and values of two stores, without how far each has come with
// its logs.
func CompareLive(ctx context.Context, a, b ledger.StoreReads) (Comparison, error) {
	return compareFacts(ctx, a, storage.Now, b)
}

// compareFacts is CompareLive with a past revision of a.
func compareFacts(ctx context.Context, a ledger.StoreReads, at storage.Revision, b ledger.StoreReads) (Comparison,
	error,
) {
	same := func(x, y storage.Entry) bool { return x.Key == y.Key && bytes.Equal(x.Value, y.Value) }
	return compare(facts(ctx, a, at), facts(ctx, b, storage.Now), same, Comparison{})
}

// compare compares two sequences entry by entry. Both are read to their ends even after the first difference,
// because the digests cover everything.
func compare(a, b iter.Seq2[storage.Entry, error], same func(a, b storage.Entry) bool, c Comparison) (Comparison,
	error,
) {
	nextA, stopA := iter.Pull2(a)
	defer stopA()
	nextB, stopB := iter.Pull2(b)
	defer stopB()
	sumA, sumB := sha256.New(), sha256.New()
	c.Equal = true
	for {
		x, errA, moreA := nextA()
		y, errB, moreB := nextB()
		if err := errors.Join(errA, errB); err != nil {
			return c, err
		}
		if !moreA && !moreB {
			break
		}
		if c.Equal && (moreA != moreB || !same(x, y)) {
			c.Equal, c.PartA, c.PartB = false, x, y
		}
		addTo(sumA, x, moreA)
		addTo(sumB, y, moreB)
	}
	c.DigestA, c.DigestB = hex.EncodeToString(sumA.Sum(nil)), hex.EncodeToString(sumB.Sum(nil))
	return c, nil
}

// addTo adds an entry to a digest. The lengths come before the texts, so that a byte that moves from a key to its
// value changes the digest. A store that has ended adds nothing.
func addTo(h hash.Hash, e storage.Entry, more bool) {
	if !more {
		return
	}
	for _, n := range []int64{int64(e.Created), int64(e.Modified), int64(len(e.Key)), int64(len(e.Value))} {
		_ = binary.Write(h, binary.LittleEndian, n)
	}
	h.Write([]byte(e.Key))
	h.Write(e.Value)
	if e.Deleted {
		h.Write([]byte{1})
	}
}

// history yields what a store had at a revision, and every version after it, without the keys that
// only keep order in a shared store.
func history(ctx context.Context, s ledger.StoreReads, from, to storage.Revision) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		parts := []iter.Seq2[storage.Entry, error]{s.Changes(ctx, "", from, to)}
		if from > 0 {
			parts = slices.Insert(parts, 0, at(ctx, s, from))
		}
		for _, part := range parts {
			for e, err := range part {
				if strings.HasPrefix(e.Key, rows.KeyFirst) || e.Key == rows.KeyEpoch {
					continue
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// facts yields the facts of a revision, without revision numbers. At Now the store yields leased
// keys too; they are not facts.
func facts(ctx context.Context, s ledger.StoreReads, rev storage.Revision) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		for e, err := range at(ctx, s, rev) {
			if err == nil && !rows.IsFact(e.Key) {
				continue
			}
			e.Created, e.Modified = 0, 0
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// at is Range with its error in the sequence.
func at(ctx context.Context, s ledger.StoreReads, rev storage.Revision) iter.Seq2[storage.Entry, error] {
	entries, _, err := s.Range(ctx, "", rev)
	if err != nil {
		return func(yield func(storage.Entry, error) bool) { yield(storage.Entry{}, err) }
	}
	return entries
}
