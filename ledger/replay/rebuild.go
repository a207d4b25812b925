package replay

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/storage"
)

// Rebuild is Replay of an open log. It is an error if the store already has a record of this log;
// into is then unchanged.
func Rebuild(ctx context.Context, r *ledger.Reader, into storage.Store) (storage.Revision, error) {
	p, err := rebuild(ctx, r.Instance(), r.Log(), into)
	if err != nil {
		return 0, err
	}
	return p.Revision(), nil
}

// rebuild projects a whole log into an empty store, which then has what the live store has if the
// log still has its beginning. Batches that were refused are not projected. After an error the new
// store has a part of the log.
func rebuild(ctx context.Context, instance string, log ledger.LogReads, into storage.Store) (*record.Projector, error) {
	p, err := record.NewProjector(ctx, instance, into)
	if err != nil {
		return nil, err
	}
	if p.Seq() != 0 {
		return nil, fmt.Errorf("cannot rebuild the store: it is not empty, it has record %d", p.Seq())
	}
	for b, err := range project.ReadBatches(log.Read(0)) {
		if err != nil {
			return nil, fmt.Errorf("ledger: rebuild: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.Project(ctx, b); err != nil {
			return nil, fmt.Errorf("ledger: rebuild: record %d: %w", b.First, err)
		}
	}
	return p, nil
}
