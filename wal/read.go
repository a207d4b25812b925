package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Read returns the batches from a record on, up to the end that any process had
// acknowledged when Read started. If the record is in the middle of a batch, that
// batch is returned from the record on. Read(0) starts with the oldest record that
// is kept; a trimmed record is ErrTrimmed, and one that is not appended yet yields
// nothing.
//
// Every checksum and the chain are verified on the way. An earlier Read of this Log may have
// verified the batches before the record: they are not read again, so that the cost of
// following a log depends on the new batches, not on a segment. An error ends the
// sequence, and nothing behind it is ever returned. Read takes no lock and
// never blocks a writer; what it returns belongs to the caller.
func (l *Log) Read(from Seq) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		r := &reader{fs: l.o.fs, dir: l.dir, from: max(from, 1), until: l.visible()}
		r.resume = l.marks.endBefore(r.from)
		defer func() { l.marks.noteEnd(r.passed) }()
		if end, _ := l.state(); end != r.until {
			r.admit = l.owner().admit // another process has appended since
		}
		if err := r.run(from, yield); err != nil && !errors.Is(err, errStop) {
			yield(Batch{}, err)
		}
	}
}

// errStop: the caller ended the sequence.
var errStop = errors.New("wal: stop")

// reader reads the segments in order.
type reader struct {
	fs     vfs.FS
	dir    string
	from   Seq
	until  position
	resume position // a verified end of a batch before from, or zero
	passed position // the end of the batch before the one that was yielded last, or zero
	hash   hasher
	admit  func(id logID, at position, s signed) error // checks the last frame, unless nil
	frame  func(f frame, end Chain) error              // gets the frames of records instead of yield, unless nil
}

func (r *reader) run(asked Seq, yield func(Batch, error) bool) error {
	d, err := scanForward(r.fs, r.dir)
	if err != nil {
		return fmt.Errorf("wal: read %s: %w", r.dir, err)
	}
	if n := uint64(len(d.segments)); n == 0 || d.last().index < r.until.segment {
		return missing(n+1, d)
	}
	if first := d.segments[0].first; asked != 0 && asked < first {
		return fmt.Errorf("%w: record %d of %s; the oldest kept is %d", ErrTrimmed, asked, r.dir, first)
	}
	r.hash = newHasher()
	start := 0 // the segment that holds the first record asked for
	for i, h := range d.segments {
		if h.first <= r.from {
			start = i
		}
	}
	for _, h := range d.segments[start:] {
		if h.index > r.until.segment || r.from > r.until.seq {
			return nil
		}
		end, err := r.readSegment(h, yield)
		if err != nil {
			return err
		}
		if h.index == d.last().index || h.index >= r.until.segment {
			continue
		}
		if next := d.segments[int(h.index-d.segments[0].index)+1]; next.prev != end.chain || next.first != end.seq+1 {
			return corruptHeader(next, "it does not continue the segment before it")
		}
	}
	return nil
}

// readSegment reads one segment, up to its seal or the end of the log.
func (r *reader) readSegment(want segmentHeader, yield func(Batch, error) bool) (position, error) {
	f, h, chain, err := openSegment(r.fs, r.dir, want.index, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return position{}, fmt.Errorf("%w: %s was removed while it was read", ErrTrimmed, segmentName(want.index))
	}
	if err != nil {
		return position{}, err
	}
	defer f.Close()
	at := position{h.index, segmentHeaderSize, h.first - 1, chain}
	if r.resume.segment == h.index && r.resume.offset > at.offset {
		at = r.resume
	}
	s := newScanner(f, h.log, at)
	s.hash = r.hash
	err = r.frames(s, yield)
	return s.at, err
}

// frames yields the batches of a segment up to the end of what is visible.
func (r *reader) frames(s *scanner, yield func(Batch, error) bool) error {
	for {
		if s.at.segment == r.until.segment && s.at.offset >= r.until.offset {
			return nil
		}
		before := s.at
		f, err := s.next()
		if err != nil {
			return s.explain(err)
		}
		if r.admit != nil && s.at.segment == r.until.segment && s.at.offset >= r.until.offset {
			if err := r.admit(s.id, s.at, f.signed); err != nil {
				return err
			}
		}
		switch {
		case f.kind == kindSeal:
			return s.atSeal()
		case f.last() < r.from:
			continue
		}
		if r.frame != nil {
			if err := r.frame(f, s.at.chain); err != nil {
				return err
			}
			continue
		}
		b, err := f.batch(r.from)
		if err != nil {
			return s.explain(err)
		}
		b.Chain, r.passed = s.at.chain, before
		if !yield(b, nil) {
			return errStop
		}
	}
}
