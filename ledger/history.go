package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// History is the life of a thing, oldest first; ErrNotFound if nothing is known of it. What
// is older than the last compaction is only in the log.
func (l *Ledger) History(ctx context.Context, ref resource.Ref) ([]Moment, error) {
	clock, err := l.clock(ctx)
	if err != nil {
		return nil, err
	}
	return l.history(ctx, ref, clock)
}

func (l *Ledger) history(ctx context.Context, ref resource.Ref, clock *logClock) ([]Moment, error) {
	moments := map[storage.Revision]*Moment{}
	at := func(r storage.Revision) *Moment {
		m, ok := moments[r]
		if !ok {
			m = &Moment{Revision: r}
			moments[r] = m
		}
		return m
	}
	name := ref.String()
	err := errors.Join(
		l.versions(ctx, keyResource+name, func(e storage.Entry) error { return seen(at(e.Modified), e) }),
		l.versions(ctx, keyDecided+name, func(e storage.Entry) error { return decidedThen(at(e.Modified), e) }),
		l.versions(ctx, keyActions+name, func(e storage.Entry) error { return actsThen(at(e.Modified), e) }),
	)
	if err == nil && len(moments) == 0 {
		err = fmt.Errorf("ledger: %s is %w", ref, ErrNotFound)
	}
	out := make([]Moment, 0, len(moments))
	for _, r := range slices.Sorted(maps.Keys(moments)) {
		m := moments[r]
		if len(m.Records) > 0 {
			m.At = m.Records[0].At // that of the batch, as every record of it has
		} else if t, _, failed := clock.of(ctx, r); err == nil {
			m.At, err = t.head.At, failed
		}
		out = append(out, *m)
	}
	return out, err
}

func (l *Ledger) versions(ctx context.Context, key string, each func(storage.Entry) error) error {
	for e, err := range l.store.History(ctx, key) {
		if err != nil {
			return err
		}
		if err := each(e); err != nil {
			return fmt.Errorf("ledger: %s at revision %d: %w", key, e.Modified, err)
		}
	}
	return nil
}

func seen(m *Moment, e storage.Entry) error {
	if e.Deleted {
		m.Gone = true
		return nil
	}
	o, err := resource.ParseObserved(e.Value)
	m.Seen = &o
	return err
}

// decidedThen gives a decision as the plan record it stood in, alone.
func decidedThen(m *Moment, e storage.Entry) error {
	if e.Deleted {
		return nil
	}
	var v decidedValue
	var d event.Decision
	if err := json.Unmarshal(e.Value, &v); err != nil {
		return err
	}
	err := json.Unmarshal(v.Decision, &d)
	planned := event.Planned{Plan: v.Plan, Mode: v.Mode, Decisions: []event.Decision{d}}
	if d.Stack != "" {
		planned.Stacks = []string{d.Stack}
	}
	m.Records = append(m.Records, event.Record{At: v.At, Event: planned})
	return err
}

func actsThen(m *Moment, e storage.Entry) error {
	if e.Deleted {
		return nil
	}
	var list []action
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

// PlanApproval finds who said yes to a plan; ErrNotFound if nobody did.
func (l *Ledger) PlanApproval(ctx context.Context, plan string) (event.Approved, error) {
	var v struct {
		Event event.Approved `json:"event"`
	}
	found, err := l.load(ctx, keyYes+plan, storage.Now, &v)
	if err == nil && !found {
		err = fmt.Errorf("ledger: a yes to plan %s is %w", plan, ErrNotFound)
	}
	return v.Event, err
}

// Log reads this instance's log, oldest first, up to what is acknowledged when it begins.
func (l *Ledger) Log(ctx context.Context, f Filter) iter.Seq2[event.Record, error] {
	var end wal.Seq
	return l.LogTo(ctx, f, &end)
}

// LogTo is Log that also says from where on to read the next time, whatever was selected.
func (l *Ledger) LogTo(ctx context.Context, f Filter, next *wal.Seq) iter.Seq2[event.Record, error] {
	*next = f.From
	return func(yield func(event.Record, error) bool) { readLog(ctx, l.log, f, next, yield) }
}
