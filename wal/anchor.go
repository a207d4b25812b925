package wal

import (
	"context"
	"errors"
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
	c, err := t.Checkpoint()
	if err != nil {
		return Anchor{}, err
	}
	d, err := readDirectory(t.l.o.fs, t.l.dir)
	if err != nil {
		return Anchor{}, err
	}
	tree := d.trimmedTree()
	for b, err := range t.l.Read(0) {
		if err != nil {
			return Anchor{}, err
		}
		tree.Append(b.Leaf())
	}
	a := Anchor{Checkpoint: c, Batches: tree.End, Root: tree.Root()}.sign(t.l.key)
	return a, keepGiven(t.l.o.fs, t.l.dir, a.Batches)
}

// Checkpoint takes the append lock and signs what the log holds; see AppendLock.Checkpoint.
func (l *Log) Checkpoint() (Checkpoint, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	t, err := l.Lock(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := t.Checkpoint()
	return c, errors.Join(err, t.Unlock())
}
