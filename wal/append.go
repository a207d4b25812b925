package wal

import (
	"errors"
	"fmt"
	"time"
)

// write makes one batch durable. The caller holds the append lock.
func (l *Log) write(d Draft) (Batch, error) {
	if _, err := l.state(); err != nil {
		return Batch{}, err
	}
	if len(d.Records) == 0 {
		return Batch{}, errors.New("wal: append: no records")
	}
	if n := plainSize(d.Records); n > maxPayload {
		return Batch{}, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, maxPayload)
	}
	if d.At.IsZero() {
		d.At = l.o.clock()
	}
	h := l.out.payload(d)
	if l.end.offset+h.size() > l.o.segmentSize && l.end.offset > segmentHeaderSize || l.sealed {
		if err := l.rotate(); err != nil {
			return Batch{}, err
		}
		h = l.out.payload(d) // the seal was built in the same memory
	}
	if err := l.put(h); err != nil {
		return Batch{}, err
	}
	last := l.end.seq
	return Batch{
		First: last - Seq(h.count) + 1, Last: last, Meta: d.Meta,
		At: time.Unix(0, h.at).UTC(), Chain: l.end.chain,
	}, nil
}

// put signs the frame in the encoder and writes it at the end of the log: one write, one
// sync. After an error in either the log is broken, since the content of the
// disk is no longer known.
func (l *Log) put(h frameHeader) error {
	b, end := l.out.finish(h, l.id, l.end, l.key)
	// Zeros follow a frame that ends behind the written space, so that the next frames overwrite instead of growing
	// the file. Large frames get none: their cost is their bytes.
	if end.offset > l.space && h.kind != kindSeal {
		if n := min(l.o.prefill, l.o.segmentSize-end.offset); n > 0 && int64(len(b)) <= l.o.prefill/4 {
			l.out.buf = append(l.out.buf, make([]byte, n)...)
			b = l.out.buf[chainSize:]
		}
	}
	_, err := l.active.WriteAt(b, l.end.offset)
	if err == nil {
		err = l.active.Sync()
	}
	if err != nil {
		return l.breakDown(fmt.Errorf("wal: append to %s: %w", segmentName(l.end.segment), err))
	}
	l.space = max(l.space, l.end.offset+int64(len(b)))
	l.endAt = time.Unix(0, h.at).UTC()
	l.advance(end)
	return nil
}

// rotate seals the last segment and starts the next one.
func (l *Log) rotate() error {
	if !l.sealed {
		if err := l.put(l.out.seal(l.o.clock())); err != nil {
			return err
		}
		l.sealed = true
	}
	if l.space > l.end.offset {
		// Not synced: zeros that come back do no harm.
		if err := l.active.Truncate(l.end.offset); err != nil {
			return l.breakDown(fmt.Errorf("wal: seal %s: %w", segmentName(l.end.segment), err))
		}
		l.space = l.end.offset
	}
	h := segmentHeader{log: l.id, index: l.end.segment + 1, first: l.end.seq + 1, prev: l.end.chain}
	if err := l.begin(h); err != nil {
		return l.breakDown(err)
	}
	return nil
}

// begin creates a segment and makes it the active one.
func (l *Log) begin(h segmentHeader) error {
	f, chain, space, err := createSegment(l.o, l.dir, h, l.key)
	if err != nil {
		return fmt.Errorf("wal: create %s: %w", segmentName(h.index), err)
	}
	if l.active != nil {
		_ = l.active.Close() // everything in it was synced when it was written
	}
	l.active, l.space, l.sealed = f, space, false
	l.advance(position{h.index, segmentHeaderSize, h.first - 1, chain})
	return nil
}
