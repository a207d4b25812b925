package mem

import (
	"context"
	"strings"
	"time"
)

// watching is one active watch.
type watching struct {
	prefix string
	news   chan struct{} // holds a notice that was not delivered yet
}

// Watch implements storage.Watcher. Leases end when the store is used, so each watch wakes when
// the next one expires.
func (s *Store) Watch(ctx context.Context, prefix string, notice func() bool) error {
	w := &watching{prefix, make(chan struct{}, 1)}
	s.mu.Lock()
	s.watches[w] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watches, w)
		s.mu.Unlock()
	}()
	w.news <- struct{}{}
	for {
		left, err := s.untilExpiry()
		if err != nil {
			return err
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		case <-w.news:
			timer.Stop()
			if !notice() {
				return nil
			}
		}
	}
}

// untilExpiry ends expired leases and returns the time until the next one expires.
func (s *Store) untilExpiry() (time.Duration, error) {
	unlock, err := s.lock(context.Background())
	if err != nil {
		return 0, err
	}
	defer unlock()
	left := time.Hour // a lease granted meanwhile comes with a notice, after which this is called again
	for _, l := range s.leases {
		left = min(left, time.Until(l.deadline))
	}
	return left, nil
}

// tell leaves a notice for each watch that a change concerns. The store is locked.
func (s *Store) tell(alerts func(prefix string) bool) {
	for w := range s.watches {
		if !alerts(w.prefix) {
			continue
		}
		select {
		case w.news <- struct{}{}:
		default: // there is one already
		}
	}
}

// changed reports a change of one key.
func (s *Store) changed(key string) {
	s.tell(func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
