package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// A store that several instances record into (Config.Shared) is written by ledgers that do not wait for
// each other: each holds the append lock of its own log only. A projection therefore counts only if none of
// its inputs has changed when it is committed: every key that it read or replaces is guarded in the
// transaction. The batch that comes second is refused in its log and made again on the result of the first.
// So the store is always the projection of all batches that were not refused, in the order of their
// revisions.

var (
	// ErrElsewhere is returned for a log that was kept with another store: projecting its past would
	// overwrite newer observations.
	ErrElsewhere = errors.New("ledger: this data directory was used with another store")
	// ErrForeignLog is returned for a log that is not the one that was recorded into the store.
	ErrForeignLog = errors.New("ledger: the log of another store, or an older copy that was written to since")
	// ErrUnfinished is returned for a store that is being rebuilt from its logs, or whose rebuild
	// did not finish.
	ErrUnfinished = errors.New("ledger: the store is being rebuilt, or a rebuild was interrupted: wait for it, or " +
		"rebuild it under another prefix with `ovi audit replay --into`")
)

// lost names the claim of the batch that was lost, or that another instance came first.
func (w *Writer) lost(ctx context.Context, claims []storage.Guard) string {
	for _, g := range claims {
		if held, err := w.holds(ctx, g); err == nil && !held {
			return "the claim was lost while it was recorded"
		}
	}
	return project.ErrRaced.Error() + "; it is recorded again"
}

// unacknowledged handles the batch at the end of the log that is not in the shared store: it was
// never acknowledged, and other instances may have gone on since. Under a claim that is still valid, or
// if it only ends bindings, it is projected; otherwise it is refused.
func (w *Writer) unacknowledged(ctx context.Context, turn *wal.AppendLock, s project.LogBatch) error {
	if err := w.fence(ctx); err != nil {
		return retryable(err)
	}
	if w.head.Seq >= s.Batch.Last {
		return nil // it had come through
	}
	if len(s.Guards) == 0 && !s.OnlyForfeits() {
		return w.refuse(ctx, turn, s.Batch.First, s.Batch.Last, "it had not reached the store when its process ended")
	}
	tx, err := w.project(ctx, s.Records, storage.Now)
	if err != nil {
		return retryable(err)
	}
	_, err = w.commit(ctx, tx, s.Batch, append(s.Guards, tx.Guards...))
	if errors.Is(err, storage.ErrConflict) {
		return w.refuse(ctx, turn, s.Batch.First, s.Batch.Last, "its claim was lost before it reached the store")
	}
	return w.undone(err)
}

// belongs refuses to project a log from its beginning into a store that others record into.
func (w *Writer) belongs(ctx context.Context, first project.LogBatch) error {
	if !w.cfg.Shared || w.at.Created != 0 || first.Last {
		return nil
	}
	others := false
	err := w.Entries(ctx, rows.KeyLog, storage.Now, func(storage.Entry) error { others = true; return nil })
	if err == nil && others {
		err = fmt.Errorf("%w: use another data directory with this store, or copy the old store with `ovi store copy`",
			ErrElsewhere)
	}
	return err
}
