package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// errOvertaken is returned when another process changed log/<instance> without the append lock.
var errOvertaken = errors.New("ledger: another process wrote the store without the append lock of this log")

// catchUp projects what is in the log and not yet in the store: what another process appended
// before it crashed, the tail after a crash, or everything if the store was lost. It changes
// nothing if the store is up to date. Every batch is committed with its position, so that after a
// crash it continues where it stopped.
func (w *Writer) catchUp(ctx context.Context, turn *wal.AppendLock) error {
	end := turn.Frontier().Seq
	if w.head.Seq == end && end != 0 {
		return nil
	}
	if err := w.reread(ctx); err != nil {
		return retryable(err)
	}
	if w.head.Seq > end {
		return fmt.Errorf("ledger: the store has record %d, but the log ends at %d: its tail was cut off or it was "+
			"replaced with another log; run `ovi audit verify`", w.head.Seq, end)
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
