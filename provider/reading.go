package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Listing is the result of reading one kind of a scope.
type Listing struct {
	Kind      string
	Resources []resource.Observed
	Filtered  bool  // the list honored the request's filter
	Err       error // why the kind could not be read in full
}

// Late receives the kinds that were still being read when an observation returned.
type Late struct {
	// Context bounds the reads that go on after the observation has returned.
	Context context.Context
	// Reading is called for each of these kinds before the observation returns. Since is when its read started.
	Reading func(kind string, since time.Time)
	// Deliver is called once for each of these kinds, after Reading, from any goroutine.
	Deliver func(l Listing, since time.Time)
}

// StillReadingError is the error of a kind that is not in a snapshot because the system has not answered
// yet.
type StillReadingError struct {
	Kind  string
	Since time.Time
}

func (e *StillReadingError) Error() string {
	return fmt.Sprintf("%s: the system has not answered since %s; other kinds do not wait for it",
		e.Kind, e.Since.UTC().Format(time.RFC3339))
}

// ErrNoAnswer is the cause of the end of a read that took longer than the observation may.
var ErrNoAnswer = errors.New("no answer in time")

// ReadKinds reads kinds at the same time and returns one listing for each kind, in the order of kinds. A
// kind that fails, panics, or takes longer than r.Patience costs no other kind. A kind that takes too long
// has a *StillReadingError: with r.Late its read goes on and is delivered there, without r.Late it is
// canceled. When ctx ends, every kind that is not read yet has the cause as its error.
//
// ReadKinds returns when all kinds have answered or the patience is over, even if list ignores its context.
func ReadKinds(ctx context.Context, r ObserveRequest, kinds []string, now func() time.Time,
	list func(ctx context.Context, kind string) Listing,
) []Listing {
	if len(kinds) == 0 {
		return nil
	}
	reads := &reads{late: r.Late, at: now(), out: make([]Listing, len(kinds)), open: len(kinds), done: make(chan struct{})}
	for i, kind := range kinds {
		reads.out[i] = Listing{Kind: kind, Err: &StillReadingError{kind, reads.at}}
	}
	inner, cancel := context.WithCancelCause(ctx)
	if r.Late != nil { // it may outlive the observation
		cancel(nil)
		inner, cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		stop := context.AfterFunc(r.Late.Context, func() { cancel(context.Cause(r.Late.Context)) })
		context.AfterFunc(inner, func() { stop() })
	}
	for i, kind := range kinds {
		go func() { reads.ended(i, guarded(inner, kind, list)) }()
	}
	patience, end := ctx, context.CancelFunc(func() {})
	if r.Patience > 0 {
		patience, end = context.WithTimeout(ctx, r.Patience)
	}
	defer end()
	select {
	case <-reads.done:
	case <-patience.Done():
	}
	switch {
	case ctx.Err() != nil:
		cancel(context.Cause(ctx))
		return reads.leave(false, context.Cause(ctx))
	case r.Late == nil:
		defer cancel(ErrNoAnswer)
	default:
		defer reads.whenDone(func() { cancel(nil) })
	}
	return reads.leave(r.Late != nil, nil)
}

// guarded reads a kind and turns a panic into an error.
func guarded(ctx context.Context, kind string, list func(context.Context, string) Listing) (l Listing) {
	defer func() {
		if x := recover(); x != nil {
			l = Listing{Err: fmt.Errorf("the provider panicked: %v\n%s", x, debug.Stack())}
		}
		l.Kind = kind
	}()
	return list(ctx, kind)
}

// reads are the reads of one observation.
type reads struct {
	late *Late
	at   time.Time
	done chan struct{} // closed when all have ended

	mu    sync.Mutex
	out   []Listing
	open  int
	left  bool // the observation has returned
	still bool // what ends after that is delivered
	after func()
}

// ended takes the result of one read.
func (r *reads) ended(i int, l Listing) {
	r.mu.Lock()
	r.out[i] = l
	deliver := r.left && r.still
	r.mu.Unlock()
	if deliver {
		r.late.Deliver(l, r.at)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open--; r.open == 0 {
		close(r.done)
		if r.after != nil {
			r.after()
		}
	}
}

// leave returns what was read so far. cause, if set, replaces the error of each kind that is not read yet.
func (r *reads) leave(still bool, cause error) []Listing {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.still = true, still
	out := slices.Clone(r.out)
	for i := range out {
		reading := (*StillReadingError)(nil)
		switch {
		case !errors.As(out[i].Err, &reading):
		case cause != nil:
			out[i].Err = cause
		case still:
			r.late.Reading(reading.Kind, reading.Since)
		}
	}
	return out
}

// whenDone calls do when all reads have ended.
func (r *reads) whenDone(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == 0 {
		do()
		return
	}
	r.after = do
}

// SnapshotOf makes a snapshot of listings: the kinds without an error are Complete, the others are
// Unreachable. If no kind could be read, that is an error: nothing is known of the scope.
func SnapshotOf(s resource.Scope, at time.Time, listings []Listing) (resource.Snapshot, error) {
	out := resource.Snapshot{Scope: s, At: at, Complete: []string{}}
	for _, l := range listings {
		if l.Err != nil {
			if out.Unreachable == nil {
				out.Unreachable = map[string]error{}
			}
			out.Unreachable[l.Kind] = l.Err
			continue
		}
		out.Complete = append(out.Complete, l.Kind)
		if l.Filtered {
			out.Filtered = append(out.Filtered, l.Kind)
		}
		out.Resources = append(out.Resources, l.Resources...)
	}
	if len(out.Complete) == 0 && len(out.Unreachable) > 0 {
		return resource.Snapshot{}, out.Unreachable[slices.Min(slices.Collect(maps.Keys(out.Unreachable)))]
	}
	slices.Sort(out.Complete)
	slices.Sort(out.Filtered)
	slices.SortStableFunc(out.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}
