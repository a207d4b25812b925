package storage

import "context"

// A Getter is a store that reads many keys at once for less than one by one.
type Getter interface {
	// Gets is Gets of this package.
	Gets(ctx context.Context, keys []string) (map[string]Entry, error)
}

// Gets returns the live entries of keys at the newest revision, leased ones included; an
// absent key has none. The entries may be of different revisions.
func Gets(ctx context.Context, s Store, keys []string) (map[string]Entry, error) {
	if g, able := s.(Getter); able {
		return g.Gets(ctx, keys)
	}
	out := make(map[string]Entry, len(keys))
	for _, key := range keys {
		e, err := Get(ctx, s, key, Now)
		if err != nil {
			return nil, err
		}
		if e.Created != 0 {
			out[key] = e
		}
	}
	return out, nil
}

// Get returns one key at a revision; the zero Entry if it is absent.
func Get(ctx context.Context, s Store, key string, at Revision) (Entry, error) {
	entries, _, err := s.Range(ctx, key, at)
	if err != nil {
		return Entry{}, err
	}
	for e, err := range entries {
		if err != nil || e.Key == key {
			return e, err
		}
		break // longer keys come behind
	}
	return Entry{}, nil
}
