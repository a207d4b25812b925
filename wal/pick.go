package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ovi-project/ovi/internal/vfs"
)

// pickWindow is the stretch of a segment below which a picker walks from batch to batch.
const pickWindow = 64 << 10

// ErrBehind says: the record is not in the log yet.
var ErrBehind = errors.New("wal: the log ends before this record")

// RandomReader finds single batches by the number of a record, without reading what stands before
// them: a batch says in its header where it belongs, so a segment is bisected. It may be used
// by one goroutine. Close it.
type RandomReader struct {
	l    *Log
	d    directory
	file vfs.File
	open segmentHeader // of file
	hash hasher
	buf  []byte
}

// Picker returns one for what is in the log now and later.
func (l *Log) Picker() *RandomReader { return &RandomReader{l: l, hash: newHasher()} }

// Close lets go of the segment in hand.
func (p *RandomReader) Close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.file = nil
	return err
}

// Pick returns the whole batch that a record is in. Its checksums and its own link of the
// chain are verified; that all before it is whole only Read and Verify prove, or whoever
// knows from elsewhere which chain value the batch must have. ErrTrimmed: it was; ErrBehind:
// it is not there yet.
func (p *RandomReader) Pick(seq Seq) (Batch, error) {
	until := p.l.visible()
	if seq == 0 || seq > until.seq {
		return Batch{}, fmt.Errorf("%w: %d; the last one is %d", ErrBehind, seq, until.seq)
	}
	if err := p.turnTo(seq, until); err != nil {
		return Batch{}, err
	}
	end := until.offset
	if p.open.index != until.segment {
		size, err := p.file.Size()
		if err != nil {
			return Batch{}, fmt.Errorf("wal: read %s: %w", segmentName(p.open.index), err)
		}
		end = size
	}
	start, err := p.bisect(seq, end)
	if err != nil {
		return Batch{}, err
	}
	return p.walk(seq, start, end)
}

// turnTo opens the segment that holds a record.
func (p *RandomReader) turnTo(seq Seq, until position) error {
	if n := len(p.d.segments); n == 0 || p.d.last().index < until.segment {
		d, err := scanForward(p.l.o.fs, p.l.dir)
		if err != nil {
			return fmt.Errorf("wal: read %s: %w", p.l.dir, err)
		}
		if len(d.segments) == 0 || d.last().index < until.segment {
			return missing(uint64(len(d.segments))+1, d)
		}
		p.d = d
	}
	if first := p.d.segments[0].first; seq < first {
		return fmt.Errorf("%w: record %d of %s; the oldest kept is %d", ErrTrimmed, seq, p.l.dir, first)
	}
	want := p.d.segments[0]
	for _, h := range p.d.segments {
		if h.first <= seq {
			want = h
		}
	}
	if p.file != nil && p.open.index == want.index {
		return nil
	}
	if err := p.Close(); err != nil {
		return err
	}
	f, h, _, err := openSegment(p.l.o.fs, p.l.dir, want.index, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s was removed while it was read", ErrTrimmed, segmentName(want.index))
	}
	p.file, p.open = f, h
	return err
}

// bisect returns where a batch begins that is not behind the record, and not far before it.
func (p *RandomReader) bisect(seq Seq, end int64) (int64, error) {
	low, high := int64(segmentHeaderSize), end
	for high-low > pickWindow {
		middle := (low + (high-low)/2) &^ (alignment - 1)
		at, h, ok, err := p.headerFrom(middle, high)
		if err != nil {
			return 0, err
		}
		if ok && h.first <= seq {
			low = at
		} else {
			high = middle
		}
	}
	return low, nil
}

// headerFrom finds the first header that stands between two offsets. It cannot be taken for
// one what only looks like it: the checksum covers the identity of the log.
func (p *RandomReader) headerFrom(from, to int64) (int64, frameHeader, bool, error) {
	const step = 32 << 10
	for at := from; at < to; at += step {
		b, err := p.bytes(at, step+frameHeaderSize)
		if err != nil {
			return 0, frameHeader{}, false, err
		}
		for i := 0; i+frameHeaderSize <= len(b) && i < step && at+int64(i) < to; i += alignment {
			if b[i] != frameMagic&0xff {
				continue
			}
			if h, err := decodeFrameHeader(b[i:], p.open.log); err == nil {
				return at + int64(i), h, true, nil
			}
		}
	}
	return 0, frameHeader{}, false, nil
}

func (p *RandomReader) bytes(at int64, n int) ([]byte, error) {
	if cap(p.buf) < n {
		p.buf = make([]byte, n)
	}
	got, err := p.file.ReadAt(p.buf[:n], at)
	if got == 0 && err != nil {
		return nil, fmt.Errorf("wal: read %s: %w", segmentName(p.open.index), err)
	}
	return p.buf[:got], nil
}

// walk goes from header to header and reads the batch with the record.
func (p *RandomReader) walk(seq Seq, at, end int64) (Batch, error) {
	for at < end {
		b, err := p.bytes(at-int64(chainSize), chainSize+frameHeaderSize)
		if err != nil {
			return Batch{}, err
		}
		if len(b) < chainSize+frameHeaderSize {
			break
		}
		h, err := decodeFrameHeader(b[chainSize:], p.open.log)
		if err != nil {
			return Batch{}, p.corrupt(at, seq, err.Error())
		}
		if h.kind == kindRecords && h.first <= seq && seq <= h.last() {
			return p.take(position{p.open.index, at, h.first - 1, Chain(b[:chainSize])})
		}
		at += h.size()
	}
	return Batch{}, p.corrupt(at, seq, "the record is not where it belongs")
}

func (p *RandomReader) corrupt(at int64, seq Seq, why string) error {
	return &CorruptError{Segment: segmentName(p.open.index), Offset: at, Seq: seq, Reason: why}
}

// take reads the batch at a place, and checks it as every reader does.
func (p *RandomReader) take(from position) (Batch, error) {
	s := newScanner(p.file, p.open.log, from)
	s.hash = p.hash
	f, err := s.next()
	if err != nil {
		return Batch{}, s.explain(err)
	}
	b, err := f.batch(f.first)
	if err != nil {
		return Batch{}, s.explain(err)
	}
	b.Chain = s.at.chain
	return b, nil
}
