package storage

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of keys and values, the same for every implementation, so that the content of a
// single host's store fits into one that hosts share (etcd rejects requests over 1.5 MiB).
const (
	MaxKey   = 2 << 10
	MaxValue = 1 << 20
)

// A Guard must hold for a transaction to commit: the key's Created revision equals Created
// (0 means the key must not exist) and, where Modified is not 0, its Modified revision equals that.
//
// The Created revision of a leased key is the fencing token of a claim: it only grows, also
// over deletions of the key (Kleppmann, "How to do distributed locking", 2016).
type Guard struct {
	Key      string
	Created  Revision
	Modified Revision
}

// Holds reports whether the guard holds for a key whose current version is e; the zero Entry
// is an absent key.
func (g Guard) Holds(e Entry) bool {
	return e.Created == g.Created && (g.Modified == 0 || e.Modified == g.Modified)
}

// Op writes or deletes one key. A transaction contains a key at most once.
type Op struct {
	Key    string
	Value  []byte
	Delete bool
	// Lease ties the key to a lease: the key is deleted with it, has no history and, on a
	// single-host store, moves only the counter of leased keys, not the store's revision.
	// Leased and unleased keys have different prefixes: a key is always one or the other.
	// A delete needs no lease; one of a leased key counts as a leased op.
	Lease LeaseID
}

// Tx is applied completely or not at all.
type Tx struct {
	Guards []Guard
	Ops    []Op
}

// Sorted returns the ops in key order, or ErrInvalid: an empty or oversized key, an
// oversized value, or one key twice. It does not reorder tx.Ops.
func (tx Tx) Sorted() ([]Op, error) {
	ops := tx.Ops
	byKey := func(a, b Op) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(ops, byKey) {
		ops = slices.SortedFunc(slices.Values(ops), byKey)
	}
	for i, op := range ops {
		switch {
		case op.Key == "":
			return nil, fmt.Errorf("%w: an operation without a key", ErrInvalid)
		case len(op.Key) > MaxKey:
			return nil, fmt.Errorf("%w: a key of %d bytes, at most %d are allowed: it begins with %.80q", ErrInvalid,
				len(op.Key), MaxKey, op.Key)
		case len(op.Value) > MaxValue:
			return nil, fmt.Errorf("%w: the value of %q has %d bytes, at most %d are allowed", ErrInvalid, op.Key, len(op.Value),
				MaxValue)
		case i > 0 && ops[i-1].Key == op.Key:
			return nil, fmt.Errorf("%w: duplicate key %q", ErrInvalid, op.Key)
		}
	}
	return ops, nil
}
