package ledger

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Instance is what a store knows of one that records into it.
type Instance struct {
	ID       string
	Last     wal.Seq // the last record of its log that is in the store
	At       time.Time
	Revision storage.Revision
}

// Instances are those that ever recorded into the store, by id.
func Instances(ctx context.Context, store storage.Store) ([]Instance, error) {
	out, _, err := instancesAt(ctx, store, storage.Now)
	return out, err
}
