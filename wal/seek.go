package wal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Since returns the number of the first record that was appended at a time or
// after it, or of the next record if none was. It requires that the clock was
// never set back by as much as the duration of a segment.
func (l *Log) Since(t time.Time) (Seq, error) {
	d, err := scanForward(l.o.fs, l.dir)
	if err != nil || len(d.segments) == 0 {
		return 0, err
	}
	start := d.segments[0].first
	for _, h := range d.segments {
		started, err := started(l.o.fs, l.dir, h.index)
		if err != nil {
			return 0, err
		}
		if started.IsZero() || !started.Before(t) {
			break
		}
		start = h.first
	}
	for b, err := range l.Read(start) {
		if err != nil || !b.At.Before(t) {
			return b.First, err
		}
		start = b.Last + 1
	}
	return start, nil
}

// started returns the time of the first frame of a segment, or zero if it has
// none yet.
func started(fsys vfs.FS, dir string, index uint64) (time.Time, error) {
	f, h, chain, err := openSegment(fsys, dir, index, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return time.Time{}, fmt.Errorf("%w: %s was removed while it was read", ErrTrimmed, segmentName(index))
	}
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	s := newScanner(f, h.log, position{h.index, segmentHeaderSize, h.first - 1, chain})
	first, err := s.next()
	var bad *flaw
	if errors.Is(err, errEnd) || errors.As(err, &bad) {
		return time.Time{}, nil // reading the segment reports the damage
	}
	return time.Unix(0, first.at).UTC(), err
}
