package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// logClock maps revisions to times, and back. Every batch writes log/<instance>, so the values of
// those keys at a revision say which batch is the newest one: a lookup costs as much as a read of
// one key, and a time is found by bisection. It serves one query.
type logClock struct {
	l           *Reader
	oldest, now storage.Revision // between which there is something to read; 0 means nothing
	known       map[storage.Revision][]tick
}

// tick is a batch: the revision that it made, and how far its instance had come with its log.
type tick struct {
	rev      storage.Revision
	instance string
	head     rows.Head
}

// clock returns a clock of the store's revisions. It is bounded by the oldest revision that the store
// still has.
func (l *Reader) clock(ctx context.Context) (*logClock, error) {
	c := &logClock{l: l, known: map[storage.Revision][]tick{}}
	err := l.Entries(ctx, rows.KeyLog, storage.Now, func(e storage.Entry) error {
		c.now = max(c.now, e.Modified)
		if c.oldest == 0 || e.Created < c.oldest {
			c.oldest = e.Created
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	oldest, err := l.Oldest(ctx)
	c.oldest = max(c.oldest, oldest)
	return c, err
}

// ticks are the newest batches of all instances at a revision, the newest first. A revision that is
// forgotten is taken for the oldest one that is not. The result is kept, because a bisection
// returns to the same revisions. A compaction during the query is an error that a second attempt
// avoids.
func (c *logClock) ticks(ctx context.Context, r storage.Revision) ([]tick, error) {
	if r = min(max(r, c.oldest), c.now); r == 0 {
		return nil, nil
	}
	if all, ok := c.known[r]; ok {
		return all, nil
	}
	var all []tick
	err := c.l.Entries(ctx, rows.KeyLog, r, func(e storage.Entry) error {
		t := tick{rev: e.Modified, instance: e.Key[len(rows.KeyLog):]}
		all = append(all, t)
		return json.Unmarshal(e.Value, &all[len(all)-1].head)
	})
	if errors.Is(err, storage.ErrCompacted) { // meanwhile
		return nil, fmt.Errorf("%w: try again", err)
	}
	slices.SortFunc(all, func(a, b tick) int { return int(b.rev - a.rev) })
	c.known[r] = all
	return all, err
}

// of returns the batch that made a revision. For a revision that the store no longer has, it returns the
// oldest known batch, and exact is false.
func (c *logClock) of(ctx context.Context, r storage.Revision) (t tick, exact bool, err error) {
	all, err := c.ticks(ctx, r)
	if err != nil || len(all) == 0 {
		return tick{}, false, err
	}
	return all[0], all[0].rev == r, nil
}

// at is the newest revision that was made at a time or before; 0 if all that is known is later.
// Clocks of several instances need not agree. Where one was set back, it is a revision at which
// that instance's record passed the time. Each instance is searched separately, since only the
// times of one log increase.
func (c *logClock) at(ctx context.Context, when time.Time) (storage.Revision, error) {
	instances, err := c.ticks(ctx, c.now)
	if err != nil {
		return 0, err
	}
	var newest storage.Revision
	for _, i := range instances {
		r, err := c.lastOf(ctx, i.instance, when)
		if err != nil {
			return 0, err
		}
		newest = max(newest, r)
	}
	return newest, nil
}

// lastOf is the newest batch of one instance at a time or before. If the clock of the instance was
// set back, several batches satisfy the condition, and the newest one that the bisection meets is
// returned.
func (c *logClock) lastOf(ctx context.Context, instance string, when time.Time) (found storage.Revision, err error) {
	low, high := c.oldest, c.now // what is before low is not later than when, what is after high is
	for low <= high {
		middle := low + (high-low)/2
		all, err := c.ticks(ctx, middle)
		if err != nil {
			return 0, err
		}
		i := slices.IndexFunc(all, func(t tick) bool { return t.instance == instance })
		if i >= 0 && all[i].head.At.After(when) {
			high = all[i].rev - 1
			continue
		}
		if i >= 0 {
			found = max(found, all[i].rev)
		}
		low = middle + 1
	}
	return found, nil
}

// TimeOf is the time of a revision. A revision that the store no longer has is ErrNotFound, and the
// error names the oldest known time.
func (l *Reader) TimeOf(ctx context.Context, r storage.Revision) (time.Time, error) {
	c, err := l.clock(ctx)
	if err != nil {
		return time.Time{}, err
	}
	t, exact, err := c.of(ctx, r)
	if err == nil && !exact {
		err = fmt.Errorf("history: the time of revision %d is %w: it is before %s", r, ledger.ErrNotFound,
			t.head.At.Format(time.RFC3339))
	}
	return t.head.At, err
}

// RevisionAt is the newest revision at a time; an error that names the oldest known time if that is
// later. The time may be in the future: then the newest revision is the result.
func (l *Reader) RevisionAt(ctx context.Context, when time.Time) (storage.Revision, error) {
	c, err := l.clock(ctx)
	if err != nil {
		return 0, err
	}
	r, err := c.at(ctx, when)
	if err != nil || r != 0 {
		return r, err
	}
	oldest := "nothing is recorded yet"
	if t, _, err := c.of(ctx, c.oldest); err == nil && t.rev != 0 {
		oldest = "the oldest known is of " + t.head.At.UTC().Format(time.RFC3339)
	}
	return 0, resource.Advise(fmt.Errorf("a revision of %s is %w: %s", when.UTC().Format(time.RFC3339),
		ledger.ErrNotFound, oldest), "use a later time")
}
