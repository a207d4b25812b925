package storage

import "context"

// An Ager is a store that says cheaply how far back it can be read.
type OldestReader interface {
	// Oldest is Oldest of this package.
	Oldest(ctx context.Context) (Revision, error)
}

// Oldest returns a revision from which on all can be read: what is before it was forgotten, by
// Compact or by whoever else keeps the store. 0: nothing was.
func Oldest(ctx context.Context, s Store) (Revision, error) {
	if a, able := s.(OldestReader); able {
		return a.Oldest(ctx)
	}
	stats, err := s.Stats(ctx)
	return stats.Compacted, err
}
