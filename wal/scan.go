package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// How much a scanner reads at once: little at first, because most logs are short.
const (
	readFirst = 16 << 10
	readAhead = 256 << 10
)

// frame is a frame whose chain value was checked. Its payload is valid until
// the next call of next.
type frame struct {
	frameHeader
	payload []byte
	raw     []byte // all of it but its chain value
	start   int64
	before  Chain
	signed  signed // not verified: the chain covers it
}

// scanner reads the frames of one segment one after the other and checks each
// against the chain.
type scanner struct {
	file   vfs.File
	id     logID
	at     position
	sealed bool // the seal of the segment was passed
	hash   hasher
	window []byte
	start  int64 // offset of the window
}

func newScanner(f vfs.File, id logID, from position) *scanner {
	return &scanner{file: f, id: id, at: from, hash: newHasher()}
}

// next returns the frame at the scanner's position and moves behind it. The
// error is errEnd, a *flaw, or that of the file system.
func (s *scanner) next() (frame, error) {
	from := s.at.offset - int64(chainSize)
	b, err := s.bytes(from, chainSize+frameHeaderSize)
	if err != nil {
		return frame{}, err
	}
	if len(b) < chainSize || Chain(b[:chainSize]) != s.at.chain {
		return frame{}, &flaw{s.at.offset, "the chain value before it was changed"}
	}
	if isZero(b[chainSize:]) {
		return frame{}, errEnd
	}
	if len(b) < chainSize+frameHeaderSize {
		return frame{}, &flaw{s.at.offset, "the file ends inside a batch header"}
	}
	h, err := decodeFrameHeader(b[chainSize:], s.id)
	if err != nil {
		return frame{}, &flaw{s.at.offset, err.Error()}
	}
	if h.first != s.at.seq+1 {
		return frame{}, &flaw{s.at.offset, fmt.Sprintf("batch starts with record %d, want %d", h.first, s.at.seq+1)}
	}
	size := int(h.size())
	b, err = s.bytes(from, chainSize+size)
	if err != nil {
		return frame{}, err
	}
	if len(b) < chainSize+size {
		return frame{}, &flaw{s.at.offset, "the file ends inside a batch"}
	}
	// The chain value of a frame is the hash of all bytes from the start of the
	// value before it up to its own, so that every byte is covered.
	digest, chain := s.hash.sums(b[:size])
	if Chain(b[size:]) != chain {
		return frame{}, &flaw{s.at.offset, "the batch does not match its chain value"}
	}
	f := frame{frameHeader: h, start: s.at.offset, before: s.at.chain}
	f.raw = b[chainSize:size]
	f.payload = f.raw[frameHeaderSize:][:h.stored]
	f.signed = signedIn(f.raw, digest)
	s.sealed = h.kind == kindSeal
	s.at = position{s.at.segment, s.at.offset + int64(size), h.last(), chain}
	return f, nil
}

// bytes returns n bytes at an offset, or fewer where the file ends.
func (s *scanner) bytes(at int64, n int) ([]byte, error) {
	skip := at - s.start
	if skip >= 0 && skip+int64(n) <= int64(len(s.window)) {
		return s.window[skip:][:n], nil
	}
	if want := max(n, min(readAhead, max(readFirst, 4*cap(s.window)))); cap(s.window) < want {
		s.window = make([]byte, want)
	}
	s.window = s.window[:cap(s.window)]
	got, err := s.file.ReadAt(s.window, at)
	s.window, s.start = s.window[:got], at
	if err != nil && !errors.Is(err, io.EOF) {
		s.window = s.window[:0]
		return nil, err
	}
	return s.window[:min(n, got)], nil
}

// records decodes a frame of records.
func (f frame) records() ([][]byte, error) {
	plain, err := plainPayload(f.frameHeader, f.payload)
	if err == nil {
		var records [][]byte
		if records, err = splitRecords(plain, f.count); err == nil {
			return records, nil
		}
	}
	return nil, &flaw{f.start, err.Error()}
}

// tail examines the bytes behind the last frame: how many there are up to the
// last one that is not zero, and whether they contain a batch header that a torn
// write cannot have left.
func (s *scanner) tail() (rest int64, impossible bool, err error) {
	for at := s.at.offset; ; {
		b, err := s.bytes(at, readAhead)
		if err != nil {
			return 0, false, err
		}
		for i := 0; i+frameHeaderSize <= len(b); i += alignment {
			if b[i] == frameMagic&0xff && s.impossible(b[i:], at+int64(i)) {
				return 0, true, nil
			}
		}
		if n := len(bytes.TrimRight(b, "\x00")); n > 0 {
			rest = at + int64(n) - s.at.offset
		}
		if len(b) < readAhead {
			return rest, false, nil
		}
		at += readAhead - frameHeaderSize // windows overlap, so that no header is split
	}
}

// impossible reports whether a header at an offset proves a later append or a
// moved batch: a crash tears only the one batch that follows the last.
func (s *scanner) impossible(b []byte, offset int64) bool {
	h, err := decodeFrameHeader(b, s.id)
	if err != nil {
		return false
	}
	if offset == s.at.offset && !s.sealed {
		return h.first != s.at.seq+1
	}
	return h.first > s.at.seq
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// explain turns an error of next, at a position where no torn write is possible,
// into the error that names the position.
func (s *scanner) explain(err error) error {
	e := &CorruptError{Segment: segmentName(s.at.segment), Offset: s.at.offset, Seq: s.at.seq + 1}
	var bad *flaw
	switch {
	case errors.Is(err, errEnd):
		e.Reason = "the segment ends here, but its seal or records are missing"
	case errors.As(err, &bad):
		e.Offset, e.Reason = bad.offset, bad.reason
	default:
		return fmt.Errorf("wal: read %s: %w", e.Segment, err)
	}
	return e
}

// atSeal checks that nothing follows the seal but zeros: a crash may bring
// back what was cut off behind it.
func (s *scanner) atSeal() error {
	rest, _, err := s.tail()
	if err == nil && rest > 0 {
		err = &flaw{s.at.offset, "something follows the seal of the segment"}
	}
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// batch decodes a frame, from a record on.
func (f frame) batch(from Seq) (Batch, error) {
	records, err := f.records()
	if err != nil {
		return Batch{}, err
	}
	b := Batch{First: f.first, Last: f.last(), At: time.Unix(0, f.at).UTC(), Meta: f.meta, Records: records}
	if from > b.First {
		b.Records = records[from-b.First:]
		b.First = from
	}
	return b, nil
}
