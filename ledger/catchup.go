package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// errOvertaken: somebody else moved log/<instance>, which only the holder of the turn may do.
var errOvertaken = errors.New("ledger: the store was written by something that did not append to this log")

func (l *Ledger) headKey() string { return keyLog + l.instance }

// frontier lets the log be held against the last record that the store has seen, so that
// damage there cannot pass for an append that was cut short. In a store that hosts share it
// is not known yet which place is ours; there the log's own notice of its end stands in.
func (l *Ledger) frontier(ctx context.Context) ([]wal.Option, error) {
	if !l.owned {
		return nil, nil
	}
	var heads []head
	err := l.entries(ctx, keyLog, storage.Now, func(e storage.Entry) error {
		var h head
		heads = append(heads, h)
		return json.Unmarshal(e.Value, &heads[len(heads)-1])
	})
	if err != nil || len(heads) != 1 || heads[0].Chain == "" {
		return nil, err
	}
	chain, err := wal.ParseChain(heads[0].Chain)
	if err != nil {
		return nil, fmt.Errorf("ledger: how far the store has come: %w", err)
	}
	return []wal.Option{wal.WithFrontier(heads[0].Seq, chain)}, nil
}

// catchUp projects what stands in the log and not yet in the store: what another process
// appended before it died, the tail after a crash, or all of it when the store was lost.
func (l *Ledger) catchUp(ctx context.Context, turn *wal.AppendLock) error {
	end := turn.Frontier().Seq
	if l.head.Seq == end && end != 0 {
		return nil
	}
	if err := l.reread(ctx); err != nil {
		return retryable(err)
	}
	if l.head.Seq > end {
		return fmt.Errorf("ledger: the store has seen record %d, but the log ends at %d: its tail was cut off or another log was put in its place; run ovi audit verify", l.head.Seq, end)
	}
	if l.head.Seq == end {
		return nil
	}
	seen := l.head.Seq
	from := seen + 1
	if seen == 0 {
		from = 0 // all there is: trimming carried forward what stood before
	}
	for step, err := range steps(l.log.Read(from)) {
		if err != nil {
			return fmt.Errorf("ledger: bring the store up to the log: %w", err)
		}
		switch err := retry(ctx, func() error { return l.belongs(ctx, step) }); {
		case errors.Is(err, ErrElsewhere):
			return err
		case err != nil:
			return retryable(err)
		}
		if seen == 0 || step.batch.First > seen+1 {
			step.guards = nil // not a crash but a store that was lost or put back, as in Rebuild
		}
		if err := l.replay(ctx, turn, step); err != nil {
			return err
		}
	}
	return nil
}

// replay projects one batch that was found in the log. The last one may never have reached
// the store, if no other is missing there: then it counts only if its claim still holds, as it
// would have then.
func (l *Ledger) replay(ctx context.Context, turn *wal.AppendLock, s step) error {
	if s.refused {
		return nil
	}
	if l.cfg.Shared && s.last && l.head.Seq+1 == s.batch.First {
		return l.unacknowledged(ctx, turn, s)
	}
	tx, err := l.project(ctx, l.store, s.records, storage.Now)
	if err != nil {
		return retryable(err)
	}
	var guards []storage.Guard
	if s.last {
		guards = s.guards
	}
	_, err = l.commit(ctx, tx, s.batch, append(guards, tx.Guards...))
	if errors.Is(err, storage.ErrConflict) && len(guards) > 0 {
		return l.refuse(ctx, turn, s.batch.First, s.batch.Last, "the claim was lost while it was recorded")
	}
	return l.undone(err)
}

// undone spares an error of a commit, of what already stood in the log, that certainly did not
// happen in a store that can be away for a while: it is made with the next turn.
func (l *Ledger) undone(err error) error {
	if err != nil && l.cfg.Shared && passing(err) {
		return retryable(err)
	}
	return err
}

// reread is readHead, with patience.
func (l *Ledger) reread(ctx context.Context) error {
	return retry(ctx, func() error { return l.readHead(ctx, l.store) })
}

// readHead reads how far the store has come.
func (l *Ledger) readHead(ctx context.Context, store storage.Store) error {
	e, err := get(ctx, store, l.headKey(), storage.Now)
	if err != nil {
		return err
	}
	l.at, l.head = e, head{}
	if e.Created == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Value, &l.head); err != nil {
		return fmt.Errorf("ledger: %s: %w", e.Key, err)
	}
	return nil
}

// commit applies a projection together with the place in the log that it comes from, in one
// transaction. An answer that was lost is found by looking.
func (l *Ledger) commit(ctx context.Context, tx storage.Tx, b wal.Batch, guards []storage.Guard) (storage.Revision, error) {
	next := head{Seq: b.Last, Chain: b.Chain.String(), At: b.At}
	value, err := event.Marshal(next)
	if err != nil {
		return 0, err
	}
	op := storage.Op{Key: l.headKey(), Value: value}
	at, _ := slices.BinarySearchFunc(tx.Ops, op, byKey) // a store takes sorted operations as they are
	tx.Ops = slices.Insert(tx.Ops, at, op)
	tx.Guards = append([]storage.Guard{{Key: l.headKey(), Created: l.at.Created, Modified: l.at.Modified}}, guards...)
	rev, err := l.tryCommit(ctx, tx)
	if l.cfg.Shared && errors.Is(err, storage.ErrUnknown) {
		rev, err = l.commitAgain(ctx, tx, next)
	}
	if err != nil {
		was := l.at
		if failed := l.reread(ctx); failed != nil {
			return 0, fmt.Errorf("%w, and what became of it cannot be read: %w: %w", err, storage.ErrUnknown, failed)
		}
		switch {
		case l.head.Seq == next.Seq && l.head.Chain == next.Chain: // whatever was said of it, it is there
			return l.head.reached(l.at), nil
		case errors.Is(err, storage.ErrConflict) && l.at.Modified != was.Modified:
			return 0, errOvertaken
		}
		return 0, err
	}
	if l.head.Seq == next.Seq { // found by looking
		return rev, nil
	}
	l.head = next
	l.at.Modified = rev
	if l.at.Created == 0 {
		l.at.Created = rev
	}
	return rev, nil
}

// tryCommit commits; in a store that can be away for a while again, as long as it is certain
// that nothing happened.
func (l *Ledger) tryCommit(ctx context.Context, tx storage.Tx) (rev storage.Revision, err error) {
	if !l.cfg.Shared {
		return l.store.Commit(ctx, tx)
	}
	err = retry(ctx, func() error {
		rev, err = l.store.Commit(ctx, tx)
		return err
	})
	return rev, err
}

// step is one batch of the log on its way into a store.
type step struct {
	batch   wal.Batch
	records []event.Record
	guards  []storage.Guard
	refused bool // the next batch says that this one does not count
	last    bool // nothing stands behind it
}

// steps decodes batches and tells each whether it was refused by the one behind it.
func steps(batches iter.Seq2[wal.Batch, error]) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		var held *step
		for b, err := range batches {
			s, err2 := decodeStep(b)
			if err = errors.Join(err, err2); err != nil {
				yield(step{}, err)
				return
			}
			if held != nil {
				held.refused = s.refuses(held.batch)
				if !yield(*held, nil) {
					return
				}
			}
			held = &s
		}
		if held != nil {
			held.last = true
			yield(*held, nil)
		}
	}
}

func decodeStep(b wal.Batch) (step, error) {
	s := step{batch: b}
	for i, raw := range b.Records {
		r, under, err := event.Decode(raw)
		if err != nil {
			return s, fmt.Errorf("record %d: %w", b.First+wal.Seq(i), err)
		}
		r.Seq = b.First + wal.Seq(i)
		s.records = append(s.records, r)
		if under != nil && (len(s.guards) == 0 || s.guards[len(s.guards)-1].Key != under.Key) {
			s.guards = append(s.guards, storage.Guard{Key: under.Key, Created: under.Created})
		}
	}
	return s, nil
}

// refuses says that a record of this batch takes the batch before out.
func (s step) refuses(before wal.Batch) bool {
	for _, r := range s.records {
		if e, ok := r.Event.(event.Refused); ok && e.From == before.First && e.To == before.Last && e.From != 0 {
			return true
		}
	}
	return false
}
