package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/wal"
)

// ReadLog reads the records of a log that need not be this instance's: a copy, or another one's.
// dir is the log's folder or its data directory. Nothing is written there. The log is opened when
// the iteration starts and closed when it ends. A log that cannot be opened is the only element of
// the sequence, as an error.
func ReadLog(ctx context.Context, dir string, f Filter) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		log, err := ledger.OpenLog(dir)
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		defer func() { _ = log.Close() }()
		var end wal.Seq
		readLog(ctx, log, f, &end, yield)
	}
}

// setBack is by how much clocks are trusted not to be set back.
const setBack = 24 * time.Hour

// readLog yields the matching records. *next becomes the number after the last record that was
// read, so that a caller can continue there. A batch that is later than Until by more than setBack
// ends the reading: later batches have later times, except for clocks that were set back.
func readLog(ctx context.Context, log ledger.LogReads, f Filter, next *wal.Seq, yield func(event.Record, error) bool) {
	from := f.From
	if !f.Since.IsZero() { // a day before it, so that a clock which was set back by less hides no record
		first, err := log.Since(f.Since.Add(-setBack))
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		from = max(from, first)
	}
	match := f.matcher()
	for b, err := range log.Read(from) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			yield(event.Record{}, err)
			return
		}
		if !f.Until.IsZero() && b.At.After(f.Until.Add(setBack)) {
			return
		}
		if *next = b.Last + 1; !f.within(b.At) {
			continue
		}
		for i, raw := range b.Records {
			r, ok, err := match(raw)
			r.Seq = b.First + seq(i)
			if err != nil {
				yield(r, fmt.Errorf("record %d: %w", r.Seq, err))
				return
			}
			if ok && !yield(r, nil) {
				*next = r.Seq + 1
				return
			}
		}
	}
}

// within reports whether a batch of this time may match: all its records have its time.
func (f Filter) within(at time.Time) bool {
	return (f.Since.IsZero() || !at.Before(f.Since)) && (f.Until.IsZero() || !at.After(f.Until))
}
