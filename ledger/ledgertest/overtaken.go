package ledgertest

import (
	"context"

	"github.com/ovi-project/ovi/storage"
)

// Overtaken is a store that calls First once, before the next commit: another instance can record
// between a projection and its commit.
type Overtaken struct {
	storage.Store
	First func()
}

// Commit implements storage.Store.
func (o *Overtaken) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	if first := o.First; first != nil {
		o.First = nil
		first()
	}
	return o.Store.Commit(ctx, tx)
}
