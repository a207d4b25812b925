// Package history answers questions about the past: the life of a resource, the state at a revision, and the
// difference of two revisions. It reads the store and, where that was compacted, the audit log; it writes nothing.
package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// History is the life of a resource, oldest first; ErrNotFound if nothing is recorded. Moments before the
// last compaction are only in the log.
func (l *Reader) History(ctx context.Context, ref resource.Ref) ([]Moment, error) {
	clock, err := l.clock(ctx)
	if err != nil {
		return nil, err
	}
	return l.history(ctx, ref, clock)
}

// Compacted returns the oldest revision of the store if it no longer has all events of a resource, and 0 if it has. The
// audit logs of the instances that recorded the older events still have them.
func (l *Reader) Compacted(ctx context.Context, ref resource.Ref) (storage.Revision, error) {
	oldest, err := l.Oldest(ctx)
	if err != nil {
		return 0, err
	}
	for _, prefix := range []string{rows.KeyActions, rows.KeyResource, rows.KeyDecided} {
		e, err := l.Get(ctx, rows.Of(prefix, ref), storage.Now)
		if err != nil {
			return 0, err
		}
		if e.Created > 0 && e.Created < oldest {
			return oldest, nil
		}
	}
	return 0, nil
}

// history returns the moments of a resource, oldest first. The store has the content, the decisions and the actions
// under three keys; a moment joins the entries of one revision. If only a part can be read, the moments so far are
// returned with the error.
func (l *Reader) history(ctx context.Context, ref resource.Ref, clock *logClock) ([]Moment, error) {
	moments := map[storage.Revision]*Moment{}
	at := func(r storage.Revision) *Moment {
		m, ok := moments[r]
		if !ok {
			m = &Moment{Revision: r}
			moments[r] = m
		}
		return m
	}
	err := errors.Join(
		l.Versions(ctx, rows.Of(rows.KeyResource, ref), func(e storage.Entry) error { return seen(at(e.Modified), e) }),
		l.Versions(ctx, rows.Of(rows.KeyDecided, ref), func(e storage.Entry) error {
			return decidedThen(at(e.Modified), e)
		}),
		l.Versions(ctx, rows.Of(rows.KeyActions, ref), func(e storage.Entry) error {
			return actsThen(at(e.Modified), e)
		}),
	)
	if err == nil && len(moments) == 0 {
		err = fmt.Errorf("%s is %w", ref, ledger.ErrNotFound)
	}
	out := make([]Moment, 0, len(moments))
	for _, r := range slices.Sorted(maps.Keys(moments)) {
		m := moments[r]
		if len(m.Records) > 0 {
			m.At = m.Records[0].At // the time of the batch, which all its records have
		} else if t, _, failed := clock.of(ctx, r); err == nil {
			m.At, err = t.head.At, failed
		}
		out = append(out, *m)
	}
	return out, err
}

// seen adds the recorded content of a resource, or its end, to a moment.
func seen(m *Moment, e storage.Entry) error {
	if e.Deleted {
		m.Gone = true
		return nil
	}
	o, err := resource.ParseObserved(e.Value)
	m.Seen = &o
	return err
}

// decidedThen returns a decision as the plan that made it, without its other decisions.
func decidedThen(m *Moment, e storage.Entry) error {
	if e.Deleted {
		return nil
	}
	var v rows.Decided
	var d event.Decision
	if err := json.Unmarshal(e.Value, &v); err != nil {
		return err
	}
	err := json.Unmarshal(v.Decision, &d)
	planned := event.Planned{Plan: v.Plan, Mode: v.Mode, Decisions: []event.Decision{d}}
	if d.Ref.Stack != "" {
		planned.Stacks = []string{d.Ref.Stack}
	}
	m.Records = append(m.Records, event.Record{At: v.At, Event: planned})
	return err
}

// actsThen adds the records of actions and other events about the resource, with their numbers in
// the log.
func actsThen(m *Moment, e storage.Entry) error {
	if e.Deleted {
		return nil
	}
	var list []rows.Action
	if err := json.Unmarshal(e.Value, &list); err != nil {
		return err
	}
	for _, a := range list {
		r, err := event.DecodeRecord(a.Record)
		if err != nil {
			return err
		}
		r.Seq = a.Seq
		m.Records = append(m.Records, r)
	}
	return nil
}

// LogRecords reads this instance's log, oldest first, up to what is acknowledged when it starts.
// The sequence ends after its first error. It reads the log while the caller iterates.
func (l *Reader) LogRecords(ctx context.Context, f Filter) iter.Seq2[event.Record, error] {
	var end wal.Seq
	return l.LogRecordsTo(ctx, f, &end)
}

// LogRecordsTo is LogRecords that also sets where to go on reading the next time. The value of next
// is valid after the iteration, even if the caller ended it early: no record is read twice or
// skipped.
func (l *Reader) LogRecordsTo(ctx context.Context, f Filter, next *wal.Seq) iter.Seq2[event.Record, error] {
	*next = f.From
	return func(yield func(event.Record, error) bool) { readLog(ctx, l.Log(), f, next, yield) }
}
