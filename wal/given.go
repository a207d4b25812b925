package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/vfs"
)

// anchorsName is the file with the sizes of the trees of which anchors were given, one a line, in
// order. Without it a trim keeps nothing to locate them, and verifying them fails.
const anchorsName = "anchors"

// givenAnchors are the numbers of batches up to which anchors were given, in order.
func givenAnchors(fsys vfs.FS, dir string) ([]uint64, error) {
	text, err := readAll(fsys, filepath.Join(dir, anchorsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []uint64
	for line := range strings.Lines(string(text)) {
		n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("wal: %s: %w", filepath.Join(dir, anchorsName), err)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// given notes that an anchor of so many batches was given. The caller has the append lock.
func (l *Log) given(batches uint64) error {
	all, err := givenAnchors(l.o.fs, l.dir)
	if err != nil || slices.Contains(all, batches) {
		return err
	}
	text := ""
	for _, n := range append(all, batches) {
		text += strconv.FormatUint(n, 10) + "\n"
	}
	return writeWhole(l.o.fs, filepath.Join(l.dir, anchorsName), []byte(text))
}

// located is what a trim keeps of an anchor: the tree up to it, and the tree from there to the end of
// what was trimmed.
type located struct{ before, after Tree }

// removed is the tree over what a trim removes, with what locates the anchors in it.
func (l *Log) removed(d directory, first Seq) (Tree, map[uint64]located, error) {
	given, err := givenAnchors(l.o.fs, l.dir)
	if err != nil {
		return Tree{}, nil, err
	}
	old := d.trimmedTree()
	pieces, err := l.pieces(old.End, first, given)
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
func (l *Log) pieces(from uint64, first Seq, given []uint64) ([]Tree, error) {
	var out []Tree
	now := Tree{Begin: from, End: from}
	for b, err := range l.Read(0) {
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
