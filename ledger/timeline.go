package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// timeline maps revisions to times: the histories of all log/<instance>, by revision.
type timeline []tick

type tick struct {
	rev storage.Revision
	at  time.Time
}

func (l *Ledger) timeline(ctx context.Context) (timeline, error) {
	var keys []string
	if err := l.entries(ctx, keyLog, storage.Now, func(e storage.Entry) error {
		keys = append(keys, e.Key)
		return nil
	}); err != nil {
		return nil, err
	}
	var out timeline
	for _, key := range keys {
		for e, err := range l.store.History(ctx, key) {
			if err != nil {
				return nil, err
			}
			var h head
			if err := json.Unmarshal(e.Value, &h); err != nil {
				return nil, fmt.Errorf("ledger: %s: %w", key, err)
			}
			out = append(out, tick{e.Modified, h.At})
		}
	}
	slices.SortFunc(out, func(a, b tick) int { return cmp.Compare(a.rev, b.rev) })
	return out, nil
}

// of is the time of a revision; not exact if the revision is older than what is kept, and
// then the oldest known time.
func (t timeline) of(r storage.Revision) (at time.Time, exact bool) {
	i, ok := slices.BinarySearchFunc(t, r, func(x tick, r storage.Revision) int { return cmp.Compare(x.rev, r) })
	switch {
	case ok:
		return t[i].at, true
	case i < len(t):
		return t[i].at, false
	case len(t) > 0:
		return t[len(t)-1].at, false
	}
	return time.Time{}, false
}

// at is the newest revision that was made at a time or before. Clocks may step back, so that
// all ticks are looked at.
func (t timeline) at(when time.Time) (r storage.Revision) {
	for _, x := range t {
		if !x.at.After(when) {
			r = x.rev
		}
	}
	return r
}

// TimeOf is when a revision was made.
func (l *Ledger) TimeOf(ctx context.Context, r storage.Revision) (time.Time, error) {
	clock, err := l.timeline(ctx)
	if err != nil {
		return time.Time{}, err
	}
	at, exact := clock.of(r)
	if !exact {
		return at, fmt.Errorf("ledger: the time of revision %d is %w: it is before %s", r, ErrNotFound, at.Format(time.RFC3339))
	}
	return at, nil
}

// RevisionAt is the newest revision at a time; an error that names the oldest known time if
// that is later.
func (l *Ledger) RevisionAt(ctx context.Context, t time.Time) (storage.Revision, error) {
	clock, err := l.timeline(ctx)
	if err != nil {
		return 0, err
	}
	if len(clock) == 0 || t.Before(clock[0].at) {
		oldest := "nothing is on record yet"
		if len(clock) > 0 {
			oldest = "the oldest known is of " + clock[0].at.Format(time.RFC3339)
		}
		return 0, fmt.Errorf("ledger: a revision of %s is %w: %s", t.Format(time.RFC3339), ErrNotFound, oldest)
	}
	return clock.at(t), nil
}
