package wal

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"os"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/ovi-project/ovi/internal/vfs"
)

// FuzzForgedFrame puts a frame with any fields and any payload, but right sums,
// behind a valid header, as a forger could who knows the format. Reading it
// must not panic; what is read must be what the payload says; and Open and
// Verify must agree on where the log ends.
func FuzzForgedFrame(f *testing.F) {
	plain := appendRecords(nil, [][]byte{[]byte("one"), []byte("two")})
	f.Add(uint8(kindRecords), uint8(codingPlain), uint64(1), uint32(len(plain)), uint32(2), plain)
	f.Add(uint8(kindRecords), uint8(codingS2), uint64(1), uint32(len(plain)), uint32(2), s2.Encode(nil, plain))
	f.Add(uint8(kindRecords), uint8(codingPlain), uint64(1), uint32(len(plain)), uint32(3), plain)
	f.Add(uint8(kindRecords), uint8(codingS2), uint64(1), uint32(1<<30), uint32(1), []byte{0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add(uint8(kindSeal), uint8(codingPlain), uint64(1), uint32(0), uint32(0), []byte{})
	f.Add(uint8(9), uint8(9), uint64(1), uint32(8), uint32(1), make([]byte, 8))
	f.Fuzz(func(t *testing.T, kind, coding uint8, first uint64, size, count uint32, payload []byte) {
		header := segmentHeader{log: logID{1}, index: 1, first: 1}
		b, chain := header.encode(liar())
		h := frameHeader{
			kind: kind, coding: coding, first: Seq(first), stored: uint32(len(payload)), plain: size,
			count: count,
		}
		head := make([]byte, frameHeaderSize)
		h.put(head, header.log)
		frame := append(head, payload...)
		frame = append(frame, make([]byte, padded(int64(len(payload)))-int64(len(payload)))...)
		frame = append(frame, publicOf(liar())...)
		digest := newHasher().sum(append(bytes.Clone(chain[:]), frame...))
		frame = append(frame, ed25519.Sign(liar(), batchMessage(header.log, digest))...)
		chain = newHasher().sum(append(bytes.Clone(chain[:]), frame...))
		b = append(append(b, frame...), chain[:]...)

		m := vfs.NewMem(1)
		if err := m.MkdirAll("log", dirMode); err != nil {
			t.Fatal(err)
		}
		file, err := m.OpenFile("log/"+segmentName(1), os.O_RDWR|os.O_CREATE, fileMode)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		checkForged(t, m, payload, h)
	})
}

func checkForged(t *testing.T, m *vfs.Mem, payload []byte, h frameHeader) {
	report, verifyErr := Verify("log", nil, WithFS(m))
	l, err := Open("log", WithFS(m), ReadOnly())
	var corrupt *CorruptError
	if err != nil {
		if !errors.As(err, &corrupt) {
			t.Fatalf("an error without a place: %v", err)
		}
		return
	}
	var got []byte
	for b, err := range l.Read(0) {
		if err != nil {
			if !errors.As(err, &corrupt) || verifyErr == nil {
				t.Fatalf("read says %v, verify %v", err, verifyErr)
			}
			return
		}
		got = appendRecords(got, b.Records)
	}
	if verifyErr == nil && report.Last != l.Frontier().Seq {
		t.Fatalf("verified up to %d, opened up to %d", report.Last, l.Frontier().Seq)
	}
	if l.Frontier().Seq > 0 && h.coding == codingPlain && !bytes.Equal(got, payload) {
		t.Fatalf("read %x, the payload is %x", got, payload)
	}
}
