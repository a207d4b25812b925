package storage

import (
	"context"
	"time"
)

// A Watcher is a store that says by itself when something changes.
type Watcher interface {
	// Watch calls notice when the watch stands, and again after each change of a key under
	// prefix, leased or not, a lease's end included, until notice says that it wants no more
	// (nil), the context ends (its cause), or the watch cannot go on.
	//
	// A notice says that something may have changed, and nothing else: what is read after it
	// holds at least the change it was for. So there is no revision to start from, and none
	// that could be compacted; many changes may share a notice, and one may come for nothing,
	// as after each connection that was lost and made anew, when nobody knows what was missed.
	// A connection that is only silent is not told from a store where nothing happens: who
	// waits must also ask now and then. The next notice waits until the last one returned.
	Watch(ctx context.Context, prefix string, notice func() (more bool)) error
}

// Pauses of who has to ask a store that is no Watcher.
const (
	askFirst = 20 * time.Millisecond
	askMost  = time.Second
)

// Await returns nil as soon as ready says so. It asks when it begins, after each change under
// prefix, and each time that long has passed, whatever was told. It ends with ready's error,
// with the context's cause, or because the store cannot be watched. ready gets the context of
// Await.
func Await(ctx context.Context, s Store, prefix string, every time.Duration, ready func(context.Context) (bool, error)) error {
	for {
		ok, err := awaitRound(ctx, s, prefix, every, ready)
		if ok || err != nil {
			return err
		}
	}
}

// awaitRound waits for one stretch of time.
func awaitRound(ctx context.Context, s Store, prefix string, every time.Duration, ready func(context.Context) (bool, error)) (ok bool, err error) {
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
	case !asked: // no watch came about: the store may be able to answer all the same
		ask()
	}
	return ok, err
}

// watch asks again and again where the store does not tell.
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

// A Punctual store is late to end leases, knows by how much, and takes it into account.
type BoundedLeaser interface {
	// GrantWithin makes a lease whose keys are gone for everybody at most within after it was
	// last renewed, as long as the store answers at all. It lives at least lives from the grant
	// and from each renewal: that, not within, is what its holder may count on. ErrTooShort:
	// this store cannot be so quick; the error says what it can.
	GrantWithin(ctx context.Context, within time.Duration) (id LeaseID, lives time.Duration, err error)
}

// GrantWithin makes a lease whose keys are gone at most within after it was last renewed, and
// says how long it lives at least. A store that is not Punctual ends leases to the moment.
func GrantWithin(ctx context.Context, s Store, within time.Duration) (LeaseID, time.Duration, error) {
	if p, able := s.(BoundedLeaser); able {
		return p.GrantWithin(ctx, within)
	}
	id, err := s.Grant(ctx, within)
	return id, within, err
}
