package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// The logs of instances that share a store are put in one order by the revisions that their
// batches committed. The store has them, as the history of log/<instance>; and so that the
// order survives the store, each batch notes in its log at which revision the one before it
// came in, and from which revision it was itself made. Only the last batch of a log is thus
// known to one side alone: it stands where it was made.

// mark is what a batch notes, in the number that the log keeps with it.
type mark struct {
	known bool
	epoch int              // a rebuilt or copied store numbers its revisions anew
	prev  storage.Revision // committed by the last batch of this log that counts
	base  storage.Revision // which the batch was made from
}

const (
	markKnown = 1 << 63
	epochBits = 6
	prevBits  = 40
	aheadBits = 63 - epochBits - prevBits
)

// encode packs the mark; what does not fit is not known.
func (m mark) encode() uint64 {
	if !m.known || m.epoch >= 1<<epochBits || m.prev >= 1<<prevBits || m.base < m.prev {
		return 0
	}
	ahead := min(uint64(m.base-m.prev), 1<<aheadBits-1)
	return markKnown | uint64(m.epoch)<<(prevBits+aheadBits) | uint64(m.prev)<<aheadBits | ahead
}

func decodeMark(n uint64) mark {
	if n&markKnown == 0 {
		return mark{}
	}
	prev := storage.Revision(n >> aheadBits & (1<<prevBits - 1))
	return mark{true, int(n >> (prevBits + aheadBits) & (1<<epochBits - 1)), prev, prev + storage.Revision(n&(1<<aheadBits-1))}
}

// mark is that of the batch that comes next.
func (l *Ledger) mark(base storage.Revision) uint64 {
	prev := l.head.reached(l.at)
	return mark{l.cfg.Shared, l.storeEpoch, prev, max(base, prev)}.encode()
}

// reached is the revision at which the log came to this place: e's, unless that only fenced.
func (h head) reached(e storage.Entry) storage.Revision { return cmp.Or(h.Rev, e.Modified) }

// unfinished is the era of a store that is being rebuilt.
const unfinished = -1

// readEpoch is how often the store's revisions were numbered anew.
func readEpoch(ctx context.Context, store storage.Store) (int, error) {
	e, err := get(ctx, store, keyEpoch, storage.Now)
	if err != nil || e.Value == nil {
		return 0, err
	}
	n := 0
	if err := json.Unmarshal(e.Value, &n); err != nil {
		return 0, fmt.Errorf("ledger: %s: %w", keyEpoch, err)
	}
	if n == unfinished {
		return 0, ErrUnfinished
	}
	return n, nil
}

// NewEpoch says in a copy of a store that hosts share that it numbers its revisions anew.
func NewEpoch(ctx context.Context, from, to storage.Store) error {
	n, err := readEpoch(ctx, from)
	if err != nil {
		return err
	}
	return newEpoch(ctx, to, n+1)
}

// newEpoch says in a store that its revisions are numbered anew.
func newEpoch(ctx context.Context, store storage.Store, n int) error {
	_, err := store.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: keyEpoch, Value: fmt.Append(nil, n)}}})
	return err
}

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
func (p revisionOrder) settle(own, next mark) revisionOrder {
	switch {
	case p.live || !next.known || own.known && own.epoch != next.epoch:
		return p
	}
	return revisionOrder{epoch: next.epoch, at: next.prev}
}

// head is the value of log/<instance>: how far the store has come with the log.
type head struct {
	Seq   wal.Seq   `json:"seq"`
	Chain string    `json:"chain"`
	At    time.Time `json:"at"`
	// Rev is the revision at which it came there, in a version of the key that only fences.
	Rev storage.Revision `json:"rev,omitempty"`
}
