package bolt

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// watchEvery is how often a watch polls. Other processes write to the file too, without a
// notice; a poll costs about as much as a read of one key.
const watchEvery = 100 * time.Millisecond

// standing is what a change moves: a commit one of the first two, an expired lease the third until
// it is swept, which moves the second.
type standing struct {
	revision, counter storage.Revision
	ended             int
}

// Watch implements storage.Watcher by polling. It does not distinguish prefixes.
func (s *Store) Watch(ctx context.Context, _ string, notice func() bool) error {
	last, err := s.standing(ctx)
	for err == nil {
		if !notice() {
			return nil
		}
		last, err = s.moved(ctx, last)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// moved waits until the store has changed.
func (s *Store) moved(ctx context.Context, last standing) (standing, error) {
	for {
		select {
		case <-ctx.Done():
			return last, context.Cause(ctx)
		case <-time.After(watchEvery):
		}
		if now, err := s.standing(ctx); err != nil || now != last {
			return now, err
		}
	}
}

func (s *Store) standing(ctx context.Context) (out standing, err error) {
	err = s.view(ctx, func(r *reader) error {
		out = standing{revision: r.st.revision, counter: r.st.counter}
		boot, now := s.clock()
		return r.eachLease(func(_ []byte, l lease) {
			if l.ended(boot, now) {
				out.ended++
			}
		})
	})
	return out, err
}

// GrantWithin implements storage.BoundedLeaser. A lease ends exactly on time; a waiter notices with
// the next poll, which a busy machine may delay.
func (s *Store) GrantWithin(ctx context.Context, within time.Duration) (storage.LeaseID, time.Duration, error) {
	lives := within - min(within/5, 5*watchEvery)
	id, err := s.Grant(ctx, lives)
	return id, lives, err
}
