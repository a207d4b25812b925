package wal

import (
	"crypto/ed25519"
	"time"

	"github.com/klauspost/compress/s2"
)

// encoder builds frames in memory that it reuses. Each frame is preceded by the
// chain value before it, so that the hashed bytes are contiguous.
type encoder struct {
	hash     hasher
	compress bool
	buf      []byte // chain value before, header, payload, padding, key, signature, chain value
	scratch  []byte // the payload that is to be compressed
	failed   int    // how often in a row compressing did not pay
	skip     int    // how many batches not to try it for
}

// maxSkip bounds how long a change to what compresses goes unnoticed.
const maxSkip = 64

// keepBuffer is the size above which a buffer is given back after use.
const keepBuffer = 8 << 20

func newEncoder(compress bool) *encoder { return &encoder{hash: newHasher(), compress: compress} }

// payload encodes the records behind the space for the header and returns the
// header, in which the number of the first record is still unset.
func (e *encoder) payload(d Draft) frameHeader {
	plain := int(plainSize(d.Records))
	h := frameHeader{
		kind: kindRecords, at: d.At.UnixNano(), meta: d.Meta,
		plain: uint32(plain), stored: uint32(plain), count: uint32(len(d.Records)),
	}
	if !e.tryCompress(plain) {
		e.reset(plain)
		e.buf = appendRecords(e.buf, d.Records)
		return h
	}
	e.reset(s2.MaxEncodedLen(plain))
	e.scratch = appendRecords(e.scratch[:0], d.Records)
	n := len(s2.Encode(e.buf[len(e.buf):cap(e.buf)], e.scratch)) // there is room for the worst case
	// To save less than an eighth does not pay for decompression.
	if n <= len(e.scratch)-len(e.scratch)/8 {
		h.coding, h.stored = codingS2, uint32(n)
		e.buf = e.buf[:len(e.buf)+n]
		e.failed = 0
		return h
	}
	e.buf = append(e.buf, e.scratch...)
	e.failed++
	e.skip = min(1<<min(e.failed, 10)-1, maxSkip)
	return h
}

// tryCompress reports whether to compress. An attempt costs as much as a sync,
// so it is skipped for a while after batches that did not compress.
func (e *encoder) tryCompress(plain int) bool {
	if !e.compress || plain < compressFrom {
		return false
	}
	if e.skip > 0 {
		e.skip--
		return false
	}
	return true
}

// seal encodes a frame without a payload.
func (e *encoder) seal(at time.Time) frameHeader {
	e.reset(0)
	return frameHeader{kind: kindSeal, at: at.UnixNano()}
}

// reset makes room for a frame with a payload of at most n bytes.
func (e *encoder) reset(n int) {
	const front = chainSize + frameHeaderSize
	need := front + n + alignment + signatureSize + chainSize
	if cap(e.buf) < need || cap(e.buf) > keepBuffer {
		e.buf = make([]byte, 0, need+need/4)
	}
	if cap(e.scratch) > keepBuffer {
		e.scratch = nil
	}
	e.buf = e.buf[:front]
}

// finish completes and signs the frame for a position and returns its bytes and the
// position behind it.
func (e *encoder) finish(h frameHeader, id logID, at position, key ed25519.PrivateKey) ([]byte, position) {
	h.first = at.seq + 1
	copy(e.buf, at.chain[:])
	h.put(e.buf[chainSize:], id)
	for len(e.buf)%alignment != 0 {
		e.buf = append(e.buf, 0)
	}
	e.buf = append(e.buf, publicOf(key)...)
	digest := e.hash.sum(e.buf)
	e.buf = append(e.buf, ed25519.Sign(key, batchMessage(id, digest))...)
	chain := e.hash.sum(e.buf)
	e.buf = append(e.buf, chain[:]...)
	frame := e.buf[chainSize:]
	return frame, position{at.segment, at.offset + int64(len(frame)), h.last(), chain}
}
