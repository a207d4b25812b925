package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// errOvertaken is returned when another process changed log/<instance> without the append lock.
var errOvertaken = errors.New("ledger: another process wrote the store without the append lock of this log")

func (l *Ledger) headKey() string { return rows.KeyLog + l.instance }

// frontier lets the log be checked against the last record that the store has, so that damage there
// is not taken for an append that was cut short. In a shared store it is still unknown which key is
// that of this log; its own tail hint serves instead.
func (l *Ledger) frontier(ctx context.Context) ([]wal.Option, error) {
	if l.cfg.Shared {
		return nil, nil
	}
	return l.frontierIn(ctx)
}

// catchUp projects what is in the log and not yet in the store: what another process appended before
// it crashed, the tail after a crash, or everything if the store was lost.
func (l *Ledger) catchUp(ctx context.Context, turn *wal.AppendLock) error {
	end := turn.Frontier().Seq
	if l.head.Seq == end && end != 0 {
		return nil
	}
	if err := l.reread(ctx); err != nil {
		return retryable(err)
	}
	if l.head.Seq > end {
		return fmt.Errorf("ledger: the store has record %d, but the log ends at %d: its tail was cut off or it was replaced with another log; run `ovi audit verify`", l.head.Seq, end)
	}
	if l.head.Seq == end {
		return nil
	}
	seen := l.head.Seq
	from := seen + 1
	if seen == 0 {
		from = 0 // all there is: trimming carried forward what stood before
	}
	for step, err := range ReadBatches(l.log.Read(from)) {
		if err != nil {
			return fmt.Errorf("ledger: bring the store up to the log: %w", err)
		}
		switch err := retry(ctx, func() error { return l.belongs(ctx, step) }); {
		case errors.Is(err, ErrElsewhere):
			return err
		case err != nil:
			return retryable(err)
		}
		if seen == 0 || step.Batch.First > seen+1 {
			step.guards = nil // not a crash but a store that was lost or put back, as in Rebuild
		}
		if err := l.replay(ctx, turn, step); err != nil {
			return err
		}
	}
	return nil
}

// replay projects one batch of the log. The last one may never have reached the store; then it
// counts only if its claim is still valid, as it would have then.
func (l *Ledger) replay(ctx context.Context, turn *wal.AppendLock, s LogBatch) error {
	if s.Refused {
		return nil
	}
	if l.cfg.Shared && s.Last && l.head.Seq+1 == s.Batch.First {
		return l.unacknowledged(ctx, turn, s)
	}
	tx, err := l.project(ctx, l.store, s.Records, storage.Now)
	if err != nil {
		return retryable(err)
	}
	var guards []storage.Guard
	if s.Last {
		guards = s.guards
	}
	_, err = l.commit(ctx, tx, s.Batch, append(guards, tx.Guards...))
	if errors.Is(err, storage.ErrConflict) && len(guards) > 0 {
		return l.refuse(ctx, turn, s.Batch.First, s.Batch.Last, "the claim was lost while it was recorded")
	}
	return l.undone(err)
}

// undone makes an error retryable if it is one of committing to a shared store what is in the log
// already, and the commit certainly did not happen: the next batch repeats it.
func (l *Ledger) undone(err error) error {
	if err != nil && l.cfg.Shared && storage.Transient(err) {
		return retryable(err)
	}
	return err
}

// reread is readHead, repeated while the store is away.
func (l *Ledger) reread(ctx context.Context) error {
	return retry(ctx, func() error { return l.readHead(ctx, l.store) })
}

// readHead reads how far the store has come with the log.
func (l *Ledger) readHead(ctx context.Context, store storage.Store) error {
	e, err := storage.Get(ctx, store, l.headKey(), storage.Now)
	if err != nil {
		return err
	}
	l.at, l.head = e, rows.Head{}
	if e.Created == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Value, &l.head); err != nil {
		return fmt.Errorf("ledger: %s: %w", e.Key, err)
	}
	return nil
}

// commit applies a projection together with its position in the log, in one transaction. If the
// result is unknown, it reads what happened.
func (l *Ledger) commit(ctx context.Context, tx storage.Tx, b wal.Batch, guards []storage.Guard) (storage.Revision, error) {
	next := rows.Head{Seq: b.Last, Chain: b.Chain.String(), At: b.At}
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
			return 0, fmt.Errorf("%w, and its result cannot be read: %w: %w", err, storage.ErrUnknown, failed)
		}
		switch {
		case l.head.Seq == next.Seq && l.head.Chain == next.Chain: // whatever was said of it, it is there
			return l.head.Reached(l.at), nil
		case errors.Is(err, storage.ErrConflict) && l.at.Modified != was.Modified:
			return 0, errOvertaken
		}
		return 0, err
	}
	if l.head.Seq == next.Seq { // found by reading
		return rev, nil
	}
	l.head = next
	l.at.Modified = rev
	if l.at.Created == 0 {
		l.at.Created = rev
	}
	return rev, nil
}

// tryCommit commits; in a shared store again, as long as it is certain that nothing happened.
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
