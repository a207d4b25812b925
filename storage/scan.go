package storage

import (
	"context"
	"iter"
)

// A Lender is a store that can show values without giving them away, which makes a long read
// cost half: nothing is allocated for values that are only looked at.
type Borrower interface {
	// Lend is Range, but a Value is only to be read, and only until the next step.
	Lend(ctx context.Context, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error)
}

// Scan is Range for a caller who looks at each value at once and keeps none: a Value is only
// to be read, and only until the next step. Clone what is to be kept.
func Scan(ctx context.Context, s Store, prefix string, at Revision) (iter.Seq2[Entry, error], Revision, error) {
	if l, ok := s.(Borrower); ok {
		return l.Lend(ctx, prefix, at)
	}
	return s.Range(ctx, prefix, at)
}
