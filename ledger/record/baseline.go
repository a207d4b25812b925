package record

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/wal"
)

// Sign signs an event as a person.
type Sign[E event.Guarded] func(E) (E, error)

// Trim removes the oldest parts of the log whose records are all before keep, and returns the first
// record that is kept. Before, it records all present facts again: a store that is rebuilt from the
// rest has them (blessings, bindings, applied configurations, open actions, live state), but not
// the history before the first kept record, and its revisions have new numbers. A failure before
// the last step removes nothing, and a repeated Trim records the facts again. sign signs a baseline as a person: see
// event.Guarded; nil if none does.
func (w *Writer) Trim(ctx context.Context, keep wal.Seq, sign Sign[event.Baseline]) (wal.Seq, error) {
	first, _, err := w.log.First()
	if err != nil {
		return 0, err
	}
	next, err := w.log.Trimmable(keep)
	if err != nil || next == first {
		return first, err
	}
	plain := event.Baseline{Before: next, Who: w.cfg.User}
	if sign != nil {
		if plain, err = sign(plain); err != nil {
			return 0, err
		}
	}
	if err := w.recordBaseline(ctx, plain); err != nil {
		return 0, err
	}
	if err := w.certify(ctx); err != nil {
		return 0, err
	}
	return w.log.Trim(keep)
}

// recordBaseline records the present facts in batches, each as of the time when it is written.
func (w *Writer) recordBaseline(ctx context.Context, plain event.Baseline) error {
	if err := w.proofs.Agrees(ctx); err != nil {
		return err
	}
	last, more := "", true
	for more {
		_, err := w.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
			var facts []event.Fact
			var err error
			if facts, more, err = w.factsAfter(ctx, last); err != nil || len(facts) == 0 {
				return nil, err
			}
			last = facts[len(facts)-1].Key
			part := plain
			part.Facts = facts
			return []event.Event{part}, nil
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// factsAfter reads facts after a key, as many as one record holds. A fact is never split, so a
// value that is larger than the limit makes a record of its own.
func (w *Writer) factsAfter(ctx context.Context, last string) (facts []event.Fact, more bool, err error) {
	rev, err := w.Revision(ctx)
	if err != nil {
		return nil, false, err
	}
	entries, _, err := w.store.Range(ctx, "", rev)
	if err != nil {
		return nil, false, err
	}
	size := 0
	for e, err := range entries {
		switch {
		case err != nil:
			return nil, false, err
		case e.Key <= last || !w.carries(e.Key):
			continue
		case size > 0 && size+len(e.Key)+len(e.Value) > project.BaselineSize:
			return facts, true, nil
		}
		size += len(e.Key) + len(e.Value)
		facts = append(facts, event.Fact{Key: e.Key, Value: e.Value})
	}
	return facts, false, nil
}

// carries reports whether a baseline has the key: all facts or, in a store that instances share
// and that is not rebuilt from one log, what proves bindings and acts.
func (w *Writer) carries(key string) bool {
	return rows.IsFact(key) && (!w.cfg.Shared || trust.Proven(key))
}
