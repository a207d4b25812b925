package storage

import (
	"context"
	"iter"
)

// A Borrower is a store that returns values without copying them, which halves the cost of a
// long read.
type Borrower interface {
	// Lend is Range, but a Value is read-only and valid only until the next step.
	Lend(ctx context.Context, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error)
}

// Scan is Range for a caller that keeps no value: a Value is read-only and valid only until
// the next step. Clone a value to keep it.
func Scan(ctx context.Context, s Store, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error) {
	if l, ok := s.(Borrower); ok {
		return l.Lend(ctx, prefix, at)
	}
	return s.Range(ctx, prefix, at)
}
