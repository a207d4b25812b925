package wal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Trimmable returns the number of the first record that Trim(keep) would keep,
// and changes nothing.
func (l *Log) Trimmable(keep Seq) (Seq, error) {
	d, err := scanForward(l.o.fs, l.dir)
	if err != nil || len(d.segments) == 0 {
		return 0, err
	}
	return d.segments[d.countBefore(keep)].first, nil
}

// Trim removes the oldest segments that contain only records before keep, and
// writes a signed notice of where the log starts now, so that what is kept still
// verifies. The active segment is always kept. It returns the number of the
// first record that is kept.
func (l *Log) Trim(keep Seq) (Seq, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	t, err := l.Lock(ctx)
	if err != nil {
		return 0, err
	}
	first, err := l.removeBefore(keep)
	return first, errors.Join(err, t.Unlock())
}

// removeBefore writes the notice before it removes segments: those that a crash leaves
// are removed when the log is opened next.
func (l *Log) removeBefore(keep Seq) (Seq, error) {
	d, err := readDirectory(l.o.fs, l.dir)
	if err != nil {
		return 0, err
	}
	n := d.countBefore(keep)
	kept := d.segments[n]
	if n > 0 {
		tree, anchors, err := l.treeOfRemoved(d, kept.first)
		if err != nil {
			return 0, err
		}
		notice := trimNotice{segment: kept.index, tree: tree, anchors: anchors, end: Anchor{
			Checkpoint: Checkpoint{Log: l.id, Seq: kept.first - 1, Chain: kept.prev, At: l.o.clock()}, Batches: tree.End,
			Root: tree.Root(),
		}}
		text := notice.sign(l.key).text()
		if err := writeWhole(l.o.fs, filepath.Join(l.dir, trimName), []byte(text)); err != nil {
			return 0, fmt.Errorf("wal: trim: %w", err)
		}
	}
	for _, h := range d.segments[:n] {
		d.stale = append(d.stale, segmentName(h.index))
	}
	return kept.first, removeStale(l.o.fs, l.dir, d.stale)
}

// keepGiven notes that an anchor of so many batches was given. The caller has the append lock.
func keepGiven(fsys vfs.FS, dir string, batches uint64) error {
	all, err := givenAnchors(fsys, dir)
	if err != nil || slices.Contains(all, batches) {
		return err
	}
	text := ""
	for _, n := range append(all, batches) {
		text += strconv.FormatUint(n, 10) + "\n"
	}
	return writeWhole(fsys, filepath.Join(dir, anchorsName), []byte(text))
}

// treeOfRemoved is the tree over what a trim removes, with what locates the anchors in it.
func (l *Log) treeOfRemoved(d directory, first Seq) (Tree, map[uint64]located, error) {
	given, err := givenAnchors(l.o.fs, l.dir)
	if err != nil {
		return Tree{}, nil, err
	}
	old := d.trimmedTree()
	pieces, err := pieces(l.Read(0), old.End, first, given)
	if err != nil {
		return Tree{}, nil, err
	}
	at := map[uint64]located{}
	tree := old
	for _, p := range pieces {
		if tree, err = tree.Join(p); err != nil {
			return tree, nil, err
		}
		if slices.Contains(given, p.End) {
			at[p.End] = located{before: tree}
		}
	}
	after := Tree{Begin: tree.End, End: tree.End}
	for _, p := range slices.Backward(pieces) {
		if x, ok := at[p.End]; ok {
			x.after = after
			at[p.End] = x
		}
		if after, err = p.Join(after); err != nil {
			return tree, nil, err
		}
	}
	if d.trim != nil {
		for n, x := range d.trim.anchors {
			if x.after, err = x.after.Join(after); err != nil {
				return tree, nil, err
			}
			at[n] = x
		}
	}
	return tree, at, nil
}

// pieces are the trees between the given anchors, from a number of batches up to a record.
func pieces(log iter.Seq2[Batch, error], from uint64, first Seq, given []uint64) ([]Tree, error) {
	var out []Tree
	now := Tree{Begin: from, End: from}
	for b, err := range log {
		if err != nil {
			return nil, fmt.Errorf("wal: trim: %w", err)
		}
		if b.First >= first {
			break
		}
		now.Append(b.Leaf())
		if slices.Contains(given, now.End) {
			out, now = append(out, now), Tree{Begin: now.End, End: now.End}
		}
	}
	return append(out, now), nil
}
