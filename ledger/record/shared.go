package record

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// A store that several instances record into (Config.Shared) is written by ledgers that do not
// wait for each other: each holds the append lock of its own log only. A projection therefore
// counts only if nothing that it rests on has changed when it is committed: every key that it read
// or replaces is guarded in the transaction. The batch that comes second is refused in its log and
// made again on what the first left. So the store is always the projection of all batches that
// were not refused, in the order of their revisions.

var (
	// ErrElsewhere is returned for a log that was kept with another store: projecting its past would
	// overwrite newer observations.
	ErrElsewhere = errors.New("ledger: this data directory was used with another store")
	// ErrForeignLog is returned for a log that is not the one that was recorded into the store.
	ErrForeignLog = errors.New("ledger: the log of another store, or an older copy that was written to since")
	// ErrUnfinished is returned for a store that is being rebuilt from its logs, or whose rebuild
	// did not finish.
	ErrUnfinished = errors.New("ledger: the store is being rebuilt, or a rebuild was interrupted: wait for it, or rebuild it under another prefix with `ovi audit replay --into`")
)

const (
	raceTries = 20
	racePause = 5 * time.Millisecond
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

// yield lets other instances go first, longer each time.
func yield(ctx context.Context, try int) {
	select {
	case <-ctx.Done():
	case <-time.After(rand.N(racePause * time.Duration(1+min(try, 10)))):
	}
}

// fence prevents a commit whose result is unknown from happening later: it changes the key that
// guards every commit of this log. Afterwards the head says whether it happened.
func (w *Writer) fence(ctx context.Context) error {
	for range raceTries {
		if err := w.reread(ctx); err != nil {
			return err
		}
		if w.at.Created == 0 {
			return nil // nothing was ever committed; the refusal's own guard does the rest
		}
		at := w.head
		at.Rev = w.head.Reached(w.at)
		value, err := event.Marshal(at)
		if err != nil {
			return err
		}
		op := storage.Op{Key: w.headKey(), Value: value}
		rev, err := w.tryCommit(ctx, storage.Tx{
			Guards: []storage.Guard{{Key: op.Key, Created: w.at.Created, Modified: w.at.Modified}}, Ops: []storage.Op{op},
		})
		switch {
		case err == nil:
			w.at.Modified, w.at.Value, w.head = rev, value, at
			return nil
		case !errors.Is(err, storage.ErrConflict) && !errors.Is(err, storage.ErrUnknown):
			return err
		}
	}
	return fmt.Errorf("ledger: %w", storage.ErrUnknown)
}

// commitAgain finds out whether a commit with an unknown result happened, and repeats it once it
// cannot happen any more.
func (w *Writer) commitAgain(ctx context.Context, tx storage.Tx, next rows.Head) (storage.Revision, error) {
	for try := range raceTries {
		yield(ctx, try)
		if err := w.fence(ctx); err != nil {
			return 0, err
		}
		if w.head.Seq == next.Seq && w.head.Chain == next.Chain {
			return w.head.Reached(w.at), nil
		}
		tx.Guards[0] = storage.Guard{Key: w.headKey(), Created: w.at.Created, Modified: w.at.Modified}
		rev, err := w.tryCommit(ctx, tx)
		if !errors.Is(err, storage.ErrUnknown) {
			return rev, err
		}
	}
	return 0, fmt.Errorf("ledger: %w", storage.ErrUnknown)
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
		err = fmt.Errorf("%w: use another data directory with this store, or copy the old store with `ovi store copy`", ErrElsewhere)
	}
	return err
}
