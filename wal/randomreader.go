package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ovi-project/ovi/internal/vfs"
)

// scanWindow is the length below which a RandomReader goes from batch to batch
// instead of bisecting.
const scanWindow = 64 << 10

// RandomReader finds single batches by the number of a record without reading what
// precedes them: the header of a batch holds its number, so a segment is bisected. It
// is for one goroutine. The caller closes it.
type RandomReader struct {
	l    *Log
	d    directory
	file vfs.File
	open segmentHeader // of file
	hash hasher
	buf  []byte
}

// RandomReader returns a reader of what is in the log now and later.
func (l *Log) RandomReader() *RandomReader { return &RandomReader{l: l, hash: newHasher()} }

// Close closes the open segment.
func (p *RandomReader) Close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.file = nil
	return err
}

// Batch returns the batch that contains a record. Its checksums, its link of the chain and its signature
// are verified; if another key than the own one signed it, the log is read from it to its end, which the own
// one signed. It returns ErrTrimmed for a record that
// was trimmed and ErrBehind for one that is not appended yet.
func (p *RandomReader) Batch(seq Seq) (Batch, error) {
	until := p.l.visible()
	if seq == 0 || seq > until.seq {
		return Batch{}, fmt.Errorf("%w: %d; the last one is %d", ErrBehind, seq, until.seq)
	}
	if err := p.openFor(seq, until); err != nil {
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

// openFor opens the segment that contains a record.
func (p *RandomReader) openFor(seq Seq, until position) error {
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

// bisect returns the offset of a batch shortly before the record, or of its own.
func (p *RandomReader) bisect(seq Seq, end int64) (int64, error) {
	low, high := int64(segmentHeaderSize), end
	for high-low > scanWindow {
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

// headerFrom finds the first header between two offsets. Other bytes cannot pass for one:
// the checksum covers the identity of the log.
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

// walk goes from header to header and reads the batch that contains the record.
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
	return Batch{}, p.corrupt(at, seq, "the record is missing in its segment")
}

func (p *RandomReader) corrupt(at int64, seq Seq, why string) error {
	return &CorruptError{Segment: segmentName(p.open.index), Offset: at, Seq: seq, Reason: why}
}

// take reads and checks the batch at a position.
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
	if err := p.vouched(b, f.signed, s.at); err != nil {
		return Batch{}, err
	}
	return b, nil
}

// vouched checks the signature of a batch. A batch of another key proves nothing alone.
func (p *RandomReader) vouched(b Batch, s signed, at position) error {
	if o := p.l.owner(); o.accepts(s.key) {
		return o.admit(p.open.log, at, s)
	}
	for other, err := range p.l.Read(b.First) {
		if err != nil {
			return err
		}
		if other.First == b.First && other.Chain != b.Chain {
			return p.corrupt(at.offset, b.First, "the batch was changed while it was read")
		}
	}
	return nil
}
