package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// errOvertaken is returned when another process changed log/<instance> without the append lock.
var errOvertaken = errors.New("ledger: another process wrote the store without the append lock of this log")

func (w *Writer) headKey() string { return rows.KeyLog + w.Instance() }

// frontier lets the log be checked against the last record that the store has, so that damage there
// is not taken for an append that was cut short. In a shared store it is still unknown which key is
// that of this log; its own tail hint serves instead.
func frontier(ctx context.Context, cfg Config) ([]wal.Option, error) {
	if cfg.Shared {
		return nil, nil
	}
	return query.FrontierIn(ctx, cfg.Store)
}

// catchUp projects what is in the log and not yet in the store: what another process appended before
// it crashed, the tail after a crash, or everything if the store was lost.
func (w *Writer) catchUp(ctx context.Context, turn *wal.AppendLock) error {
	end := turn.Frontier().Seq
	if w.head.Seq == end && end != 0 {
		return nil
	}
	if err := w.reread(ctx); err != nil {
		return retryable(err)
	}
	if w.head.Seq > end {
		return fmt.Errorf("ledger: the store has record %d, but the log ends at %d: its tail was cut off or it was replaced with another log; run `ovi audit verify`", w.head.Seq, end)
	}
	if w.head.Seq == end {
		return nil
	}
	seen := w.head.Seq
	from := seen + 1
	if seen == 0 {
		from = 0 // all there is: trimming carried forward what stood before
	}
	for step, err := range project.ReadBatches(w.log.Read(from)) {
		if err != nil {
			return fmt.Errorf("ledger: bring the store up to the log: %w", err)
		}
		switch err := retry(ctx, func() error { return w.belongs(ctx, step) }); {
		case errors.Is(err, ErrElsewhere):
			return err
		case err != nil:
			return retryable(err)
		}
		if seen == 0 || step.Batch.First > seen+1 {
			step.Guards = nil // not a crash but a store that was lost or put back, as in Rebuild
		}
		if err := w.replay(ctx, turn, step); err != nil {
			return err
		}
	}
	return nil
}

// replay projects one batch of the log. The last one may never have reached the store; then it
// counts only if its claim is still valid, as it would have then.
func (w *Writer) replay(ctx context.Context, turn *wal.AppendLock, s project.LogBatch) error {
	if s.Refused {
		return nil
	}
	if w.cfg.Shared && s.Last && w.head.Seq+1 == s.Batch.First {
		return w.unacknowledged(ctx, turn, s)
	}
	tx, err := w.project(ctx, s.Records, storage.Now)
	if err != nil {
		return retryable(err)
	}
	var guards []storage.Guard
	if s.Last {
		guards = s.Guards
	}
	_, err = w.commit(ctx, tx, s.Batch, append(guards, tx.Guards...))
	if errors.Is(err, storage.ErrConflict) && len(guards) > 0 {
		return w.refuse(ctx, turn, s.Batch.First, s.Batch.Last, "the claim was lost while it was recorded")
	}
	return w.undone(err)
}

// undone makes an error retryable if it is one of committing to a shared store what is in the log
// already, and the commit certainly did not happen: the next batch repeats it.
func (w *Writer) undone(err error) error {
	if err != nil && w.cfg.Shared && storage.Transient(err) {
		return retryable(err)
	}
	return err
}

// reread is readHead, repeated while the store is away.
func (w *Writer) reread(ctx context.Context) error {
	return retry(ctx, func() error { return w.readHead(ctx, w.store) })
}

// readHead reads how far the store has come with the log.
func (w *Writer) readHead(ctx context.Context, store storage.Store) error {
	e, err := storage.Get(ctx, store, w.headKey(), storage.Now)
	if err != nil {
		return err
	}
	w.at, w.head = e, rows.Head{}
	if e.Created == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Value, &w.head); err != nil {
		return fmt.Errorf("ledger: %s: %w", e.Key, err)
	}
	return nil
}

// commit applies a projection together with its position in the log, in one transaction. If the
// result is unknown, it reads what happened.
func (w *Writer) commit(ctx context.Context, tx storage.Tx, b wal.Batch, guards []storage.Guard) (storage.Revision, error) {
	next := rows.Head{Seq: b.Last, Chain: b.Chain.String(), At: b.At}
	value, err := event.Marshal(next)
	if err != nil {
		return 0, err
	}
	op := storage.Op{Key: w.headKey(), Value: value}
	at, _ := slices.BinarySearchFunc(tx.Ops, op, project.ByKey) // a store takes sorted operations as they are
	tx.Ops = slices.Insert(tx.Ops, at, op)
	tx.Guards = append([]storage.Guard{{Key: w.headKey(), Created: w.at.Created, Modified: w.at.Modified}}, guards...)
	rev, err := w.tryCommit(ctx, tx)
	if w.cfg.Shared && errors.Is(err, storage.ErrUnknown) {
		rev, err = w.commitAgain(ctx, tx, next)
	}
	if err != nil {
		was := w.at
		if failed := w.reread(ctx); failed != nil {
			return 0, fmt.Errorf("%w, and its result cannot be read: %w: %w", err, storage.ErrUnknown, failed)
		}
		switch {
		case w.head.Seq == next.Seq && w.head.Chain == next.Chain: // whatever was said of it, it is there
			return w.head.Reached(w.at), nil
		case errors.Is(err, storage.ErrConflict) && w.at.Modified != was.Modified:
			return 0, errOvertaken
		}
		return 0, err
	}
	if w.head.Seq == next.Seq { // found by reading
		return rev, nil
	}
	w.head = next
	w.at.Modified = rev
	if w.at.Created == 0 {
		w.at.Created = rev
	}
	return rev, nil
}

// tryCommit commits; in a shared store again, as long as it is certain that nothing happened.
func (w *Writer) tryCommit(ctx context.Context, tx storage.Tx) (rev storage.Revision, err error) {
	if !w.cfg.Shared {
		return w.store.Commit(ctx, tx)
	}
	err = retry(ctx, func() error {
		rev, err = w.store.Commit(ctx, tx)
		return err
	})
	return rev, err
}
