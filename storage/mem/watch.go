package mem

import (
	"context"
	"strings"
	"time"
)

// watching is one watch under way.
type watching struct {
	prefix string
	news   chan struct{} // holds a notice that was not taken yet
}

// Watch implements storage.Watcher. Leases end when somebody looks: each watch looks when the
// next one is over.
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

// untilExpiry ends what has expired and says how long the next lease to end has left.
func (s *Store) untilExpiry() (time.Duration, error) {
	unlock, err := s.lock(context.Background())
	if err != nil {
		return 0, err
	}
	defer unlock()
	left := time.Hour // what hangs on a lease that is granted meanwhile comes with a notice, and this is asked again
	for _, l := range s.leases {
		left = min(left, time.Until(l.deadline))
	}
	return left, nil
}

// tell leaves a notice with each watch that a change concerns. The store is locked.
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

// changed tells of one key.
func (s *Store) changed(key string) {
	s.tell(func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
