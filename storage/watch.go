package storage

import (
	"context"
	"time"
)

// A Watcher is a store that reports changes.
type Watcher interface {
	// Watch calls notice when the watch is established, and again after each change of a key
	// under prefix, leased or not, the end of a lease included. It ends when notice returns
	// false (nil), when the context ends (its cause), or when the watch fails.
	//
	// A notice means that something may have changed: a read after it contains at least that
	// change. So a watch starts at no revision, and compaction does not affect it. Many changes
	// may share a notice, and a notice may come without a change, as after each reconnect. A
	// silent connection looks like a store without changes, so callers also read at intervals.
	// The next notice waits until the last one returned.
	Watch(ctx context.Context, prefix string, notice func() (more bool)) error
}

// Pauses between reads of a store that is not a Watcher.
const (
	askFirst = 20 * time.Millisecond
	askMost  = time.Second
)

// Await returns nil as soon as ready returns true. It calls ready at once, after each change
// under prefix, and at the given interval. It ends with ready's error, with the context's
// cause, or with the error of a watch that fails. ready gets the context of Await.
func Await(ctx context.Context, s Store, prefix string, every time.Duration,
	ready func(context.Context) (bool, error),
) error {
	for {
		ok, err := awaitRound(ctx, s, prefix, every, ready)
		if ok || err != nil {
			return err
		}
	}
}

// awaitRound waits for one interval.
func awaitRound(ctx context.Context, s Store, prefix string, every time.Duration,
	ready func(context.Context) (bool, error),
) (ok bool, err error) {
	round, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	asked := false
	ask := func() bool {
		asked = true
		ok, err = ready(ctx)
		return !ok && err == nil
	}
	watched := watch(round, s, prefix, ask)
	switch {
	case ok || err != nil:
		return ok, err
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case round.Err() == nil:
		return false, watched
	case !asked: // the watch was not established: the store may be readable all the same
		ask()
	}
	return ok, err
}

// watch polls a store that is not a Watcher.
func watch(ctx context.Context, s Store, prefix string, notice func() bool) error {
	if w, able := s.(Watcher); able {
		return w.Watch(ctx, prefix, notice)
	}
	for pause := askFirst; notice(); pause = min(2*pause, askMost) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
	return nil
}

// A BoundedLeaser ends leases late, but within a known bound.
type BoundedLeaser interface {
	// GrantWithin creates a lease whose keys are deleted at most within after it was last
	// renewed, as long as the store answers. It lasts at least lives from the grant and from
	// each renewal: its holder may rely on that, not on within. ErrTooShort: the store cannot
	// end a lease so soon; the error names its limit.
	GrantWithin(ctx context.Context, within time.Duration) (id LeaseID, lives time.Duration, err error)
}

// GrantWithin creates a lease whose keys are deleted at most within after it was last renewed,
// and returns how long it lasts at least. A store that is not a BoundedLeaser ends leases exactly
// on time.
func GrantWithin(ctx context.Context, s Store, within time.Duration) (LeaseID, time.Duration, error) {
	if p, able := s.(BoundedLeaser); able {
		return p.GrantWithin(ctx, within)
	}
	id, err := s.Grant(ctx, within)
	return id, within, err
}
