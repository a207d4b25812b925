package wal

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/vfs"
)

func segmentName(index uint64) string { return fmt.Sprintf("%012d%s", index, segmentSuffix) }

// segmentIndex is the inverse of segmentName.
func segmentIndex(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && segmentName(n) == name
}

// directory is the content of a log's directory.
type directory struct {
	segments []segmentHeader // in order, without a gap
	stale    []string        // leftovers: unfinished files, segments already trimmed
	trim     *trimNotice
}

func (d directory) last() segmentHeader { return d.segments[len(d.segments)-1] }

// readDirectory lists the segments and checks that they belong to one log, that
// none is missing and that each matches its name.
func readDirectory(fsys vfs.FS, dir string) (d directory, err error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return d, err
	}
	if d.trim, err = readTrim(fsys, dir); err != nil {
		return d, err
	}
	next := uint64(1)
	if d.trim != nil {
		next = d.trim.segment
	}
	for _, name := range names {
		index, ok := segmentIndex(name)
		switch {
		case ok && index < next && len(d.segments) == 0, strings.HasSuffix(name, tempSuffix):
			d.stale = append(d.stale, name)
		case ok && index != next:
			return d, missing(next, d)
		case ok:
			f, h, _, err := openSegment(fsys, dir, index, os.O_RDONLY)
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				return d, err
			}
			d.segments = append(d.segments, h)
			next++
		}
	}
	return d, d.check()
}

// scanForward is readDirectory without the append lock: a Trim may remove what
// was just listed.
func scanForward(fsys vfs.FS, dir string) (d directory, err error) {
	for range 3 {
		if d, err = readDirectory(fsys, dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return d, err
}

// check compares the segments with each other and with the trim notice.
func (d directory) check() error {
	if len(d.segments) == 0 {
		if d.trim != nil {
			return missing(d.trim.segment, d)
		}
		return nil
	}
	first := d.segments[0]
	if d.trim != nil && (first.log != d.trim.end.Log || first.first != d.trim.end.Seq+1 ||
		first.prev != d.trim.end.Chain) {
		return corruptHeader(first, "it does not continue what was trimmed")
	}
	if d.trim == nil && (first.first != 1 || first.prev != Chain{}) {
		return corruptHeader(first, "the log does not start with it")
	}
	for i, h := range d.segments[1:] {
		if h.log != first.log {
			return corruptHeader(h, "it belongs to another log")
		}
		if h.first < d.segments[i].first {
			return corruptHeader(h, "its first record precedes the segment before it")
		}
	}
	return nil
}

func missing(index uint64, d directory) error {
	e := &CorruptError{Segment: segmentName(index), Reason: "the segment is missing"}
	if n := len(d.segments); n > 0 {
		e.Seq = d.segments[n-1].first
	} else if d.trim != nil {
		e.Seq = d.trim.end.Seq + 1
	}
	return e
}

func corruptHeader(h segmentHeader, reason string) error {
	return &CorruptError{Segment: segmentName(h.index), Seq: h.first, Reason: reason}
}

// openSegment opens a segment and reads its header.
func openSegment(fsys vfs.FS, dir string, index uint64, flag int) (vfs.File, segmentHeader, Chain, error) {
	name := segmentName(index)
	f, err := fsys.OpenFile(filepath.Join(dir, name), flag, fileMode)
	if err != nil {
		return nil, segmentHeader{}, Chain{}, err
	}
	b := make([]byte, segmentHeaderSize)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, segmentHeader{}, Chain{}, errors.Join(err, f.Close())
	}
	h, chain, err := decodeSegmentHeader(b[:n])
	if err == nil && h.index != index {
		err = fmt.Errorf("it is segment %d under a wrong name", h.index)
	}
	if err == nil {
		return f, h, chain, nil
	}
	if errors.Is(err, ErrVersion) {
		err = fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	} else {
		err = &CorruptError{Segment: name, Reason: err.Error()}
	}
	return nil, segmentHeader{}, Chain{}, errors.Join(err, f.Close())
}

// createSegment creates a segment with zeros behind its header. Content and
// name are durable when it returns; a crash before leaves an unfinished file
// under another name.
func createSegment(o options, dir string, h segmentHeader, key ed25519.PrivateKey) (vfs.File, Chain, int64, error) {
	header, chain := h.encode(key)
	size := max(min(o.prefill, o.segmentSize), segmentHeaderSize)
	content := make([]byte, size)
	copy(content, header)
	name := filepath.Join(dir, segmentName(h.index))
	f, err := o.fs.OpenFile(name+tempSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return nil, chain, 0, err
	}
	if _, err = f.WriteAt(content, 0); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = o.fs.Rename(name+tempSuffix, name)
	}
	if err == nil {
		err = o.fs.SyncDir(dir)
	}
	if err != nil {
		return nil, chain, 0, errors.Join(err, f.Close())
	}
	return f, chain, size, nil
}

// trimmedTree is the tree over what was trimmed.
func (d directory) trimmedTree() Tree {
	if d.trim == nil {
		return Tree{}
	}
	out, _ := d.trim.tree.Join(Tree{Begin: d.trim.tree.End, End: d.trim.tree.End})
	return out
}

// removeStale deletes files that the log no longer needs.
func removeStale(fsys vfs.FS, dir string, names []string) error {
	for _, name := range names {
		err := fsys.Remove(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("wal: remove a file no longer needed: %w", err)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fsys.SyncDir(dir)
}

// countBefore counts the segments that contain only records before keep; the last one
// never counts.
func (d *directory) countBefore(keep Seq) (n int) {
	for n+1 < len(d.segments) && d.segments[n+1].first <= keep {
		n++
	}
	return n
}
