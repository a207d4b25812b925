package wal

import (
	"context"
	"errors"
	"time"
)

// Anchor signs what the log holds, and the tree over it, for keeping elsewhere. It reads the whole log,
// and notes that it gave the anchor, so that a trim keeps what locates it.
func (l *Log) Anchor() (Anchor, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	t, err := l.Lock(ctx)
	if err != nil {
		return Anchor{}, err
	}
	a, err := t.anchor()
	return a, errors.Join(err, t.Unlock())
}

func (t *AppendLock) anchor() (Anchor, error) {
	l := t.l
	end, err := l.state()
	if err != nil {
		return Anchor{}, err
	}
	d, err := readDirectory(l.o.fs, l.dir)
	if err != nil {
		return Anchor{}, err
	}
	tree := d.trimmedTree()
	for b, err := range l.Read(0) {
		if err != nil {
			return Anchor{}, err
		}
		tree.Append(b.Leaf())
	}
	at := l.endAt
	if at.IsZero() { // the last segment has no batch
		at = time.Unix(0, l.o.clock().UnixNano()).UTC()
	}
	c := Checkpoint{Log: l.id, Seq: end.seq, Chain: end.chain, At: at}
	a := Anchor{Checkpoint: c, Batches: tree.End, Root: tree.Root()}.sign(l.key)
	return a, keepGiven(l.o.fs, l.dir, a.Batches)
}
