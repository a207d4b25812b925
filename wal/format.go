package wal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/zeebo/blake3"
)

// The constants of format 1, which wal/FORMAT.md describes.
const (
	formatVersion = 1
	segmentMagic  = "OVIWAL\r\n" // eight bytes, and a text-mode copy breaks them
	frameMagic    = 0x4649564f   // "OVIF", little endian

	segmentHeaderSize = 224
	frameHeaderSize   = 48
	chainSize         = len(Chain{})
	recordHeaderSize  = 8
	alignment         = 8

	maxPayload     = 256 << 20
	minSegmentSize = 4 << 10
)

// Kinds of frames.
const (
	kindRecords = 1
	kindSeal    = 2 // the last one of its segment; it has no payload
)

// Codings of the payload of a frame of records.
const (
	codingPlain = 0
	codingS2    = 1
)

type logID [16]byte

// castagnoli is a table shared by crc32; it has hardware support.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// segmentHeader is the start of each segment.
type segmentHeader struct {
	log    logID
	index  uint64 // counts segments from 1 on
	first  Seq    // of the first record that is, or will be, in the segment
	prev   Chain  // at the end of the segment before; zero in segment 1
	signed signed // as read
}

// encode returns the header with its signature and the chain value at its end.
func (h segmentHeader) encode(key ed25519.PrivateKey) ([]byte, Chain) {
	b := make([]byte, segmentHeaderSize)
	h.fill(b)
	copy(b[headerKeyAt:], publicOf(key))
	digest := newHasher().sum(b[:headerSumAt])
	copy(b[headerSumAt:], ed25519.Sign(key, segmentMessage(digest)))
	chain := newHasher().sum(b[:headerChainAt])
	copy(b[headerChainAt:], chain[:])
	return b, chain
}

// Offsets in a segment header.
const (
	headerKeyAt   = 96
	headerSumAt   = headerKeyAt + ed25519.PublicKeySize
	headerChainAt = headerSumAt + ed25519.SignatureSize
)

// fill writes all that precedes the key.
func (h segmentHeader) fill(b []byte) {
	copy(b, segmentMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], formatVersion)
	le.PutUint32(b[12:], segmentHeaderSize)
	copy(b[16:], h.log[:])
	le.PutUint64(b[32:], h.index)
	le.PutUint64(b[40:], uint64(h.first))
	copy(b[48:], h.prev[:])
	le.PutUint32(b[92:], crc32.Checksum(b[:92], castagnoli))
}

// decodeSegmentHeader is the inverse of encode. It does not verify the signature. Its errors wrap ErrVersion
// where a newer program wrote the file.
func decodeSegmentHeader(b []byte) (segmentHeader, Chain, error) {
	var h segmentHeader
	if len(b) < segmentHeaderSize {
		return h, Chain{}, fmt.Errorf("the file ends inside the segment header, after %d bytes", len(b))
	}
	if string(b[:8]) != segmentMagic {
		return h, Chain{}, errors.New("this is not a segment of a log")
	}
	le := binary.LittleEndian
	if v := le.Uint32(b[8:]); v != formatVersion {
		return h, Chain{}, versionError(v, b)
	}
	h.index, h.first = le.Uint64(b[32:]), Seq(le.Uint64(b[40:]))
	copy(h.log[:], b[16:])
	copy(h.prev[:], b[48:])
	var want [headerKeyAt]byte
	h.fill(want[:])
	chain := newHasher().sum(b[:headerChainAt])
	if string(want[:]) != string(b[:headerKeyAt]) || Chain(b[headerChainAt:segmentHeaderSize]) != chain {
		return h, Chain{}, errors.New("the segment header does not match its checksum")
	}
	h.signed = signed{
		key: bytes.Clone(b[headerKeyAt:headerSumAt]), sum: bytes.Clone(b[headerSumAt:headerChainAt]),
		digest: newHasher().sum(b[:headerSumAt]), header: true,
	}
	return h, chain, nil
}

// versionError distinguishes a newer format from a damaged version number: only
// with the latter is the rest a valid header of this version.
func versionError(v uint32, b []byte) error {
	repaired := append([]byte(nil), b[:92]...)
	binary.LittleEndian.PutUint32(repaired[8:], formatVersion)
	if crc32.Checksum(repaired, castagnoli) == binary.LittleEndian.Uint32(b[92:]) {
		return fmt.Errorf("the version number %d in the segment header is damaged", v)
	}
	return fmt.Errorf("%w: format %d, this program reads up to %d", ErrVersion, v, formatVersion)
}

// frameHeader precedes each batch and each seal.
type frameHeader struct {
	kind   uint8
	coding uint8
	first  Seq    // of the records inside; of the next ones, if there are none
	at     int64  // nanoseconds since 1970, UTC
	meta   uint64 // the caller's
	stored uint32 // length of the payload as stored in the file
	plain  uint32 // length of the payload without compression
	count  uint32 // number of records
}

// last is the number of the last record up to the end of the frame.
func (h frameHeader) last() Seq { return h.first + Seq(h.count) - 1 }

// size is the length of the whole frame.
func (h frameHeader) size() int64 {
	return frameHeaderSize + padded(int64(h.stored)) + signatureSize + int64(chainSize)
}

func padded(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// put writes the header. The checksum also covers the identity of the log, so
// that a frame of another log inside a record is not taken for one of this log.
func (h frameHeader) put(b []byte, id logID) {
	le := binary.LittleEndian
	le.PutUint32(b, frameMagic)
	b[4], b[5], b[6], b[7] = h.kind, h.coding, 0, 0
	le.PutUint64(b[8:], uint64(h.first))
	le.PutUint64(b[16:], uint64(h.at))
	le.PutUint64(b[24:], h.meta)
	le.PutUint32(b[32:], h.stored)
	le.PutUint32(b[36:], h.plain)
	le.PutUint32(b[40:], h.count)
	le.PutUint32(b[44:], frameSum(b, id))
}

func frameSum(b []byte, id logID) uint32 {
	return crc32.Update(crc32.Checksum(id[:], castagnoli), castagnoli, b[:44])
}

// decodeFrameHeader refuses every header that put could not have written.
func decodeFrameHeader(b []byte, id logID) (frameHeader, error) {
	le := binary.LittleEndian
	if le.Uint32(b) != frameMagic {
		return frameHeader{}, errors.New("no batch starts here")
	}
	if le.Uint32(b[44:]) != frameSum(b, id) {
		return frameHeader{}, errors.New("the batch header does not match its checksum")
	}
	h := frameHeader{
		kind: b[4], coding: b[5],
		first: Seq(le.Uint64(b[8:])), at: int64(le.Uint64(b[16:])), meta: le.Uint64(b[24:]),
		stored: le.Uint32(b[32:]), plain: le.Uint32(b[36:]), count: le.Uint32(b[40:]),
	}
	return h, h.check(b[6] == 0 && b[7] == 0)
}

// check applies the rules to a header whose checksum is correct.
func (h frameHeader) check(zeros bool) error {
	switch {
	case !zeros || h.coding > codingS2 || h.kind != kindRecords && h.kind != kindSeal:
		return fmt.Errorf("batch of unknown kind %d, coding %d", h.kind, h.coding)
	case h.stored > maxPayload || h.plain > maxPayload:
		return fmt.Errorf("batch of %d bytes is over the limit", max(h.stored, h.plain))
	case h.coding == codingPlain && h.stored != h.plain:
		return fmt.Errorf("batch of %d bytes has a length field of %d", h.stored, h.plain)
	case h.kind == kindSeal && (h.count != 0 || h.coding != codingPlain || h.stored != 0):
		return errors.New("malformed seal")
	case h.kind == kindRecords && (h.count == 0 || uint64(h.count)*recordHeaderSize > uint64(h.plain)):
		return fmt.Errorf("batch of %d bytes cannot hold %d records", h.plain, h.count)
	}
	return nil
}

// hasher computes chain values. It is reused, since each takes 10 kB.
type hasher struct{ h *blake3.Hasher }

func newHasher() hasher { return hasher{blake3.New()} }

func (h hasher) sum(b []byte) Chain {
	var c Chain
	h.h.Reset()
	_, _ = h.h.Write(b) // a hash never fails
	h.h.Sum(c[:0])
	return c
}

// sums are the digest that the signature at the end of a frame covers, and the chain value of the frame: the
// hashes of its bytes up to the signature, and with it, both from the chain value before it on.
func (h hasher) sums(b []byte) (digest, chain Chain) {
	n := len(b) - ed25519.SignatureSize
	h.h.Reset()
	_, _ = h.h.Write(b[:n]) // a hash never fails
	h.h.Sum(digest[:0])
	_, _ = h.h.Write(b[n:])
	h.h.Sum(chain[:0])
	return digest, chain
}

// signatureSize is the length of a public key and a signature, which precede the chain value of a frame.
const signatureSize = ed25519.PublicKeySize + ed25519.SignatureSize

// position is a boundary between two frames.
type position struct {
	segment uint64
	offset  int64
	seq     Seq // of the last record before it
	chain   Chain
}
