package record

import (
	"context"

	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Projector projects the batches of one instance's log into a store that nothing else writes.
type Projector struct{ w *Writer }

// NewProjector reads how far the store has come with the log.
func NewProjector(ctx context.Context, instance string, into storage.Store) (*Projector, error) {
	w := &Writer{
		Reader: query.NewReader(into, nil, instance, ""), committer: &committer{store: into, instance: instance},
	}
	return &Projector{w}, w.readHead(ctx)
}

// Seq is the last record of the log that is in the store; 0 if none is.
func (p *Projector) Seq() wal.Seq { return p.w.head.Seq }

// Revision is the revision that the last projected batch made.
func (p *Projector) Revision() storage.Revision { return p.w.at.Modified }

// Project commits a batch of the log without checking its claim: it is known to count. A refused
// batch changes nothing.
func (p *Projector) Project(ctx context.Context, b project.LogBatch) error {
	b.Last, b.Guards = false, nil
	return p.w.replay(ctx, nil, b)
}
