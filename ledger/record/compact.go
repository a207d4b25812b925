package record

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Compact lets the store remove what only reads before a revision need, and records that first. The
// log keeps everything. A revision in the future is storage.ErrFuture. After a failure of the last
// step the store still has the revisions, and Compact may be repeated.
func (w *Writer) Compact(ctx context.Context, before storage.Revision) error {
	now, err := w.Revision(ctx)
	if err != nil {
		return err
	}
	if before > now {
		return fmt.Errorf("ledger: compact before revision %d: %w: the newest is %d", before, storage.ErrFuture, now)
	}
	if _, err := w.Record(ctx, event.Compacted{Before: int64(before), Who: w.cfg.User}); err != nil {
		return err
	}
	if err := w.certify(ctx); err != nil {
		return err
	}
	return w.store.Compact(ctx, before)
}

// Checkpoint records the digest of all bindings and signs the log, for keeping elsewhere. It fails with
// trust.ErrUnproven if the store has other bindings than the log.
func (w *Writer) Checkpoint(ctx context.Context) (wal.Anchor, error) {
	if err := w.certify(ctx); err != nil {
		return wal.Anchor{}, err
	}
	return w.log.Anchor()
}
