package storage

import "context"

// An OldestReader is a store that reads its oldest revision cheaply.
type OldestReader interface {
	// Oldest is Oldest of this package.
	Oldest(ctx context.Context) (Revision, error)
}

// Oldest returns the revision from which on everything is readable: what precedes it was
// compacted, by Compact or by the store itself. 0 means that nothing was.
func Oldest(ctx context.Context, s Store) (Revision, error) {
	if a, able := s.(OldestReader); able {
		return a.Oldest(ctx)
	}
	stats, err := s.Stats(ctx)
	return stats.Compacted, err
}
