package replay

import (
	"cmp"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// The logs of instances that share a store are put in one order by the revisions that their
// batches committed. The store has them, as the history of log/<instance>; and so that the
// order survives the store, each batch notes in its log at which revision the one before it
// came in, and from which revision it was itself made. Only the last batch of a log is thus
// known to one side alone: it stands where it was made.

// revisionOrder is where a batch stands among those of all logs.
type revisionOrder struct {
	live  bool // the store's own history says so: behind what it has forgotten
	epoch int
	at    storage.Revision
	made  bool // only made from that revision: behind the batch that made it
}

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

// settle learns from the batch behind it where a batch came in.
func (p revisionOrder) settle(own, next rows.Mark) revisionOrder {
	switch {
	case p.live || !next.Known || own.Known && own.Epoch != next.Epoch:
		return p
	}
	return revisionOrder{epoch: next.Epoch, at: next.Prev}
}
