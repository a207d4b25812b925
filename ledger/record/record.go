package record

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// request is one caller's events on the way into a batch.
type request struct {
	build func(context.Context) ([]event.Event, error) // called with the append lock, on a store that is up to date
	guard *storage.Guard
	fence *Fence
	alone bool // it gets a revision of its own
	taken bool // it accepts the log itself, which no roster in the log can forbid; no other instance counts that
	done  chan struct{}

	refused bool           // the guard did not hold: events is the refusal
	fenced  *storage.Guard // the row that the fence was compared with
	events  []event.Event
	receipt Receipt
	err     error
}

// leads marks the context in which a batch is written: nothing in it may wait for another batch.
type leads struct{}

func given(events []event.Event) func(context.Context) ([]event.Event, error) {
	return func(context.Context) ([]event.Event, error) { return events, nil }
}

// submit waits until the request was written, alone or together with others. A context that has ended keeps
// it out; one that ends later does not: a part of a record is of no use.
func (w *Writer) submit(ctx context.Context, r *request) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, fmt.Errorf("ledger: not recorded: %w", err)
	}
	r.done = make(chan struct{})
	w.mu.Lock()
	w.queue = append(w.queue, r)
	w.mu.Unlock()
	select {
	case <-r.done:
	case w.lead <- struct{}{}:
		w.serve(context.WithValue(context.WithoutCancel(ctx), leads{}, true))
		<-w.lead
		<-r.done
	}
	if r.receipt.Last > 0 {
		w.recorded.Store(true)
	}
	return r.receipt, r.err
}

// serve writes the waiting requests as one batch; the caller leads.
func (w *Writer) serve(ctx context.Context) {
	w.mu.Lock()
	group := w.queue
	w.queue = nil
	w.mu.Unlock()
	if len(group) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Wait)
	defer cancel()
	records, err := w.inTurn(ctx, group)
	for _, r := range group {
		if err != nil && r.err == nil && r.receipt.Last == 0 {
			r.err = err
		}
	}
	w.notify(records)
	for _, r := range group {
		close(r.done)
	}
}

// inTurn takes the append lock, catches up, writes, and releases the lock.
func (w *Writer) inTurn(ctx context.Context, group []*request) ([]event.Record, error) {
	if err := w.Broken(); err != nil {
		return nil, err
	}
	if w.cfg.Verify != nil {
		return nil, ErrVerifyOnly
	}
	turn, err := w.log.Lock(ctx)
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			err = w.breakDown(err)
		}
		return nil, fmt.Errorf("ledger: wait for the append lock of the log: %w", err)
	}
	var records []event.Record
	if err = w.catchUp(ctx, turn); err == nil {
		for part := range batches(group) {
			var written []event.Record
			written, err = w.writeAll(ctx, turn, part)
			if records = append(records, written...); err != nil {
				break
			}
		}
	}
	if err != nil && !isRetryable(err) {
		err = w.breakDown(err)
	}
	if err == nil {
		w.whose.noteSometimes(w.log, w.cfg.Clock())
	}
	if failed := turn.Unlock(); failed != nil {
		_ = w.breakDown(failed) // what was written counts; the next Record returns the error
	}
	return records, err
}

// batches splits a group into what is written together, in the order of the requests.
func batches(group []*request) iter.Seq[[]*request] {
	return func(yield func([]*request) bool) {
		for len(group) > 0 {
			n := 1
			for !group[0].alone && n < len(group) && !group[n].alone {
				n++
			}
			if !yield(group[:n]) {
				return
			}
			group = group[n:]
		}
	}
}

// notRecorded is the error for events that cannot be recorded. Nothing was appended, so nothing is broken.
type notRecorded struct {
	err error
	all bool // the store cannot be read: nor can any others of the group be recorded
}

func (e *notRecorded) Error() string { return "ledger: not recorded: " + e.err.Error() }
func (e *notRecorded) Unwrap() error { return e.err }

// writeAll writes the group as one batch. If a claim is lost between log and store, the batch is
// refused and the events of each request are written again alone; so they are if something in the
// group cannot be written at all.
func (w *Writer) writeAll(ctx context.Context, turn *wal.AppendLock, group []*request) ([]event.Record, error) {
	since := storage.Now
	if w.cfg.Shared {
		err := retry(ctx, func() (err error) { since, err = w.Revision(ctx); return err })
		if err != nil {
			return nil, retryable(err)
		}
	}
	ready := w.prepare(ctx, group)
	if len(ready) == 0 {
		return nil, nil
	}
	records, err := w.write(ctx, turn, ready, since)
	var kept *notRecorded
	if errors.As(err, &kept) && (len(ready) == 1 || kept.all) {
		for _, r := range ready {
			r.err = err
		}
		return nil, nil
	}
	if err == nil || !errors.Is(err, storage.ErrConflict) && !errors.As(err, &kept) {
		return records, err
	}
	var all []event.Record
	if w.cfg.Shared {
		yield(ctx, len(ready))
	}
	for _, r := range ready {
		records, err := w.writeAll(ctx, turn, []*request{r})
		all = append(all, records...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// prepare builds the events of each request and replaces those whose claim is lost.
func (w *Writer) prepare(ctx context.Context, group []*request) (ready []*request) {
	try, claims := retry, w.claims(ctx, group)
	for _, r := range group {
		r.refused, r.events = false, nil
		r.err = try(ctx, func() error { return w.fill(ctx, r, claims) })
		switch {
		case r.err != nil && storage.Transient(r.err):
			try = once // one waited; the others need not
		case r.err == nil && len(r.events) > 0:
			ready = append(ready, r)
		}
	}
	return ready
}

// fill builds the events of a request, or the refusal if its claim is lost.
func (w *Writer) fill(ctx context.Context, r *request, claims map[string]storage.Entry) error {
	events, err := r.build(ctx)
	if err == nil && !r.taken {
		err = w.proofs.Permitted(ctx, events)
	}
	if err == nil {
		r.fenced, err = w.fencedBy(ctx, r.fence)
	}
	if err != nil || len(events) == 0 || r.guard == nil {
		r.events = events
		return err
	}
	claim, known := claims[r.guard.Key]
	held := known && r.guard.Holds(claim)
	if !held {
		held, err = w.holds(ctx, *r.guard)
	}
	if err == nil && !held {
		r.refused, events = true, refusal(events, *r.guard)
	}
	r.events = events
	return err
}

func (w *Writer) holds(ctx context.Context, g storage.Guard) (bool, error) {
	e, err := w.Get(ctx, g.Key, storage.Now)
	return err == nil && g.Holds(e), err
}

// refusal is recorded for events that came too late. A result is recorded with it as one that does
// not count: whoever recovers the action can use it.
func refusal(events []event.Event, g storage.Guard) []event.Event {
	out := event.Refused{
		Token: int64(g.Created), Reason: "the claim was lost before " + events[0].Type() + " could be recorded",
	}
	var late []event.Event
	for _, e := range events {
		if ref := e.About(); !ref.IsZero() {
			out.Ref = ref
		}
		if ended, ok := e.(event.Finished); ok {
			out.Key = ended.Key
			ended.Outcome, ended.Resource = event.Late, nil
			late = append(late, ended)
		}
	}
	return append([]event.Event{out}, late...)
}

// write appends one batch, commits its projection, and fills in the receipts. ErrConflict: a claim
// was lost meanwhile, and the batch is recorded as refused.
func (w *Writer) write(
	ctx context.Context, turn *wal.AppendLock, group []*request, since storage.Revision,
) ([]event.Record, error) {
	now := w.cfg.Clock().UTC().Round(0)
	b, guards := batch{at: now, first: turn.Frontier().Seq + 1}, []storage.Guard(nil)
	fences := fencesOf(group)
	sign := w.proofs.Signer(ctx, now)
	for _, r := range group {
		var under *event.Guard
		if r.guard != nil && !r.refused {
			under = &event.Guard{Key: r.guard.Key, Created: r.guard.Created}
			guards = append(guards, *r.guard)
		}
		events, err := sign.Signed(r.events)
		if err != nil {
			return nil, &notRecorded{err, storage.Transient(err)}
		}
		if err := b.add(w.stamp(now), events, under); err != nil {
			return nil, &notRecorded{err: err}
		}
	}
	tx, err := w.project(ctx, b.records, since)
	if errors.Is(err, project.ErrRaced) {
		return nil, fmt.Errorf("%w: %w", storage.ErrConflict, err)
	}
	if err != nil {
		return nil, &notRecorded{err, storage.Transient(err)}
	}
	done, err := turn.AppendBatch(wal.Draft{At: now, Meta: w.mark(since), Records: b.encoded})
	if errors.Is(err, wal.ErrTooLarge) {
		return nil, &notRecorded{err: err}
	}
	if err != nil {
		return nil, err
	}
	rev, err := w.commit(ctx, tx, done, slices.Concat(guards, fences, tx.Guards))
	if errors.Is(err, storage.ErrConflict) && (len(guards)+len(fences) > 0 || w.cfg.Shared) {
		if failed := w.refuse(ctx, turn, done.First, done.Last, w.lost(ctx, guards)); failed != nil {
			return nil, failed
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	next := done.First
	for _, r := range group {
		r.receipt = Receipt{next, next + wal.Seq(len(r.events)) - 1, rev, now}
		next = r.receipt.Last + 1
		if r.refused {
			r.err = fmt.Errorf("%w: %s", ErrRefused, r.events[0].(event.Refused).Reason)
		}
	}
	return b.records, nil
}

// Broken is the error that broke the ledger, or nil.
func (w *Writer) Broken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

func (w *Writer) breakDown(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		w.broken = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return w.broken
}

// claims returns the valid claims of a group, by key, read at once. A claim that is missing here has
// expired or could not be read, and must be read separately. The commit is guarded by each of them in any
// case.
func (w *Writer) claims(ctx context.Context, group []*request) map[string]storage.Entry {
	var keys []string
	for _, r := range group {
		if r.guard != nil {
			keys = append(keys, r.guard.Key)
		}
	}
	if len(keys) < 2 {
		return nil
	}
	slices.Sort(keys)
	found, err := storage.Gets(ctx, w.store, slices.Compact(keys))
	if err != nil {
		return nil
	}
	return found
}
