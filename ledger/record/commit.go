package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

const (
	raceTries = 20
	racePause = 5 * time.Millisecond
)

// committer commits what the log has to the store, with its position in the log. Only the goroutine that has
// the append lock uses it.
type committer struct {
	store    storage.Store
	instance string
	shared   bool // other instances record into the store too
	epoch    int  // of the store's revisions, where hosts share it

	head rows.Head
	at   storage.Entry // the entry of log/<instance> as last read
}

func (c *committer) headKey() string { return rows.KeyLog + c.instance }

// reread is readHead, repeated while the store is away.
func (c *committer) reread(ctx context.Context) error {
	return retry(ctx, func() error { return c.readHead(ctx) })
}

// readHead reads how far the store has come with the log.
func (c *committer) readHead(ctx context.Context) error {
	e, err := storage.Get(ctx, c.store, c.headKey(), storage.Now)
	if err != nil {
		return err
	}
	c.at, c.head = e, rows.Head{}
	if e.Created == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Value, &c.head); err != nil {
		return fmt.Errorf("ledger: %s: %w", e.Key, err)
	}
	return nil
}

// commit applies a projection together with its position in the log, in one transaction. If the
// result is unknown, it reads what happened. The guard of log/<instance> makes the second of two
// commits of the same batch fail, so that a batch counts once.
func (c *committer) commit(
	ctx context.Context, tx storage.Tx, b wal.Batch, guards []storage.Guard,
) (storage.Revision, error) {
	next := rows.Head{Seq: b.Last, Chain: b.Chain.String(), At: b.At}
	value, err := event.Marshal(next)
	if err != nil {
		return 0, err
	}
	op := storage.Op{Key: c.headKey(), Value: value}
	at, _ := slices.BinarySearchFunc(tx.Ops, op, project.ByKey) // a store does not sort sorted operations again
	tx.Ops = slices.Insert(tx.Ops, at, op)
	tx.Guards = append([]storage.Guard{{Key: c.headKey(), Created: c.at.Created, Modified: c.at.Modified}}, guards...)
	rev, err := c.tryCommit(ctx, tx)
	if c.shared && errors.Is(err, storage.ErrUnknown) {
		rev, err = c.commitAgain(ctx, tx, next)
	}
	if err != nil {
		was := c.at
		if failed := c.reread(ctx); failed != nil {
			return 0, fmt.Errorf("%w, and its result cannot be read: %w: %w", err, storage.ErrUnknown, failed)
		}
		switch {
		case c.head.Seq == next.Seq && c.head.Chain == next.Chain: // whatever was said of it, it is there
			return c.head.Reached(c.at), nil
		case errors.Is(err, storage.ErrConflict) && c.at.Modified != was.Modified:
			return 0, errOvertaken
		}
		return 0, err
	}
	if c.head.Seq == next.Seq { // found by reading
		return rev, nil
	}
	c.head = next
	c.at.Modified = rev
	if c.at.Created == 0 {
		c.at.Created = rev
	}
	return rev, nil
}

// tryCommit commits. In a shared store it repeats a commit that certainly had no effect.
func (c *committer) tryCommit(ctx context.Context, tx storage.Tx) (rev storage.Revision, err error) {
	if !c.shared {
		return c.store.Commit(ctx, tx)
	}
	err = retry(ctx, func() error {
		rev, err = c.store.Commit(ctx, tx)
		return err
	})
	return rev, err
}

// undone makes an error retryable if it is one of committing to a shared store what is in the log
// already, and the commit certainly did not happen: the next batch repeats it.
func (c *committer) undone(err error) error {
	if err != nil && c.shared && storage.Transient(err) {
		return retryable(err)
	}
	return err
}

// fence prevents a commit whose result is unknown from happening later: it changes the key that
// guards every commit of this log. Afterwards the head says whether it happened. A commit that is
// delayed in the network then finds another version of the key and fails.
func (c *committer) fence(ctx context.Context) error {
	for range raceTries {
		if err := c.reread(ctx); err != nil {
			return err
		}
		if c.at.Created == 0 {
			return nil // nothing was ever committed; the refusal's own guard does the rest
		}
		at := c.head
		at.Rev = c.head.Reached(c.at)
		value, err := event.Marshal(at)
		if err != nil {
			return err
		}
		op := storage.Op{Key: c.headKey(), Value: value}
		rev, err := c.tryCommit(ctx, storage.Tx{
			Guards: []storage.Guard{
				{Key: op.Key, Created: c.at.Created, Modified: c.at.Modified},
			}, Ops: []storage.Op{op},
		})
		switch {
		case err == nil:
			c.at.Modified, c.at.Value, c.head = rev, value, at
			return nil
		case !errors.Is(err, storage.ErrConflict) && !errors.Is(err, storage.ErrUnknown):
			return err
		}
	}
	return fmt.Errorf("ledger: %w", storage.ErrUnknown)
}

// commitAgain finds out whether a commit with an unknown result happened, and repeats it once it
// cannot happen any more.
func (c *committer) commitAgain(ctx context.Context, tx storage.Tx, next rows.Head) (storage.Revision, error) {
	for try := range raceTries {
		yield(ctx, try)
		if err := c.fence(ctx); err != nil {
			return 0, err
		}
		if c.head.Seq == next.Seq && c.head.Chain == next.Chain {
			return c.head.Reached(c.at), nil
		}
		tx.Guards[0] = storage.Guard{Key: c.headKey(), Created: c.at.Created, Modified: c.at.Modified}
		rev, err := c.tryCommit(ctx, tx)
		if !errors.Is(err, storage.ErrUnknown) {
			return rev, err
		}
	}
	return 0, fmt.Errorf("ledger: %w", storage.ErrUnknown)
}

// yield lets other instances go first, longer each time.
func yield(ctx context.Context, try int) {
	select {
	case <-ctx.Done():
	case <-time.After(rand.N(racePause * time.Duration(1+min(try, 10)))):
	}
}

// mark returns the mark of the next batch.
func (c *committer) mark(base storage.Revision) uint64 {
	prev := c.head.Reached(c.at)
	return rows.Mark{Known: c.shared, Epoch: c.epoch, Prev: prev, Base: max(base, prev)}.Encode()
}

// project is Batch, repeated while the store is away.
func (c *committer) project(
	ctx context.Context, records []event.Record, since storage.Revision,
) (tx storage.Tx, err error) {
	err = retry(ctx, func() error {
		tx, err = project.Batch(ctx, c.store, records, since, c.shared)
		return err
	})
	return tx, err
}
