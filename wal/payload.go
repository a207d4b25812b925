package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
)

// compressFrom is the size below which a payload is not compressed: it would
// save less than a sector.
const compressFrom = 1 << 10

// plainSize is the length of the payload of these records.
func plainSize(records [][]byte) int64 {
	n := int64(0)
	for _, r := range records {
		n += recordHeaderSize + int64(len(r))
	}
	return n
}

// appendRecords appends each record behind its length and its checksum.
func appendRecords(b []byte, records [][]byte) []byte {
	for _, r := range records {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(r)))
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(r, castagnoli))
		b = append(b, r...)
	}
	return b
}

// plainPayload returns a copy of the payload of a frame whose chain value was
// checked.
func plainPayload(h frameHeader, stored []byte) ([]byte, error) {
	if h.coding == codingPlain {
		return append(make([]byte, 0, len(stored)), stored...), nil
	}
	if n, err := s2.DecodedLen(stored); err != nil || n != int(h.plain) {
		return nil, fmt.Errorf("the compressed batch does not hold %d bytes", h.plain)
	}
	plain, err := s2.Decode(make([]byte, h.plain), stored)
	if err != nil {
		return nil, fmt.Errorf("the batch cannot be decompressed: %w", err)
	}
	return plain, nil
}

// splitRecords decodes a payload and checks every record. The records share the
// memory of the payload.
func splitRecords(b []byte, count uint32) ([][]byte, error) {
	if uint64(count)*recordHeaderSize > uint64(len(b)) {
		return nil, fmt.Errorf("%d bytes cannot hold %d records", len(b), count)
	}
	records := make([][]byte, 0, count)
	for i := range count {
		if len(b) < recordHeaderSize {
			return nil, fmt.Errorf("record %d of the batch is cut off", i+1)
		}
		n, sum := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		b = b[recordHeaderSize:]
		if uint64(n) > uint64(len(b)) {
			return nil, fmt.Errorf("record %d of the batch is cut off", i+1)
		}
		if crc32.Checksum(b[:n], castagnoli) != sum {
			return nil, fmt.Errorf("record %d of the batch does not match its checksum", i+1)
		}
		records = append(records, b[:n:n])
		b = b[n:]
	}
	if len(b) != 0 {
		return nil, errors.New("the batch holds more than its records")
	}
	return records, nil
}
