package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/rows"
)

// Reopen opens a broken ledger again in place, beneath its readers and their claims: it recovers the log and brings the
// store up to it, as Open does. Events that Record returned an error for may be recorded afterwards. A ledger that is
// not broken is not changed. If Reopen fails, the ledger is still broken.
func Reopen(ctx context.Context, w *Writer) error {
	if w.Broken() == nil {
		return nil
	}
	select {
	case w.lead <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("ledger: open it again: %w", context.Cause(ctx))
	}
	defer func() { <-w.lead }()
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Wait)
	defer cancel()
	if w.Broken() == nil { // another goroutine has reopened it
		return nil
	}
	if err := reopen(context.WithValue(ctx, leads{}, true), w); err != nil {
		return fmt.Errorf("ledger: open it again: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = nil
	return nil
}

func reopen(ctx context.Context, w *Writer) (err error) {
	if err := w.log.Reopen(ctx); err != nil {
		return err
	}
	if w.cfg.Shared {
		if err := retry(ctx, func() (err error) { w.epoch, err = ReadEpoch(ctx, w.store); return err }); err != nil {
			return err
		}
	}
	turn, err := w.log.Lock(ctx)
	if err != nil {
		return err
	}
	w.head = rows.Head{} // what the store has may differ from the result of the last commit
	return errors.Join(w.catchUp(context.WithoutCancel(ctx), turn), turn.Unlock())
}
