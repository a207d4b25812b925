package replay

import (
	"cmp"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// The logs of instances that share a store are merged by the revisions that their batches made. The store
// has them, as the history of log/<instance>. So that the order survives the store, each batch also records
// the revision that the batch before it made, and the revision that it rests on. For the last batch of a
// log the first is unknown, and it is placed after the revision that it rests on.

// revisionOrder is the position of a batch among the batches of all logs.
type revisionOrder struct {
	live  bool // from the history of the store: after the revisions that it no longer has
	epoch int
	at    storage.Revision
	made  bool // it rests on that revision: after the batch that made it
}

// Revisions compare only within an epoch: they were numbered again since the one before.
func (p revisionOrder) compare(q revisionOrder) int {
	switch {
	case p.live != q.live && q.live:
		return -1
	case p.live != q.live:
		return 1
	}
	if c := cmp.Or(cmp.Compare(p.epoch, q.epoch), cmp.Compare(p.at, q.at)); c != 0 || p.made == q.made {
		return c
	}
	if q.made {
		return -1
	}
	return 1
}

// resolve uses the next batch, which has the revision that this one made.
func (p revisionOrder) resolve(own, next rows.Mark) revisionOrder {
	switch {
	case p.live || !next.Known || own.Known && own.Epoch != next.Epoch:
		return p
	}
	return revisionOrder{epoch: next.Epoch, at: next.Prev}
}
