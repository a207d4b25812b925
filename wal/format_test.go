package wal_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/zeebo/blake3"
)

// TestFormatAsDocumented reads the golden log with a reader that was written
// from wal/FORMAT.md alone and shares no code with the package.
func TestFormatAsDocumented(t *testing.T) {
	names, err := filepath.Glob(goldenDir + "/*.wal")
	if err != nil || len(names) < 2 {
		t.Fatalf("%v, %v", names, err)
	}
	var d documented
	for i, name := range names {
		b, err := os.ReadFile(name)
		if err == nil {
			err = d.segment(b, uint64(i+2), i == len(names)-1)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := checkRecords(d.records, goldenFirst); err != nil || len(d.records) != goldenLast-goldenFirst+1 {
		t.Fatalf("%d records: %v", len(d.records), err)
	}
	if fmt.Sprintf("%x", d.chain) != goldenEnd || d.compressed == 0 || d.signed < 3 {
		t.Fatalf("chain %x, %d compressed, %d signed", d.chain, d.compressed, d.signed)
	}
}

type documented struct {
	id         []byte
	chain      []byte
	next       uint64
	records    [][]byte
	compressed int
	signed     int
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

func (d *documented) segment(b []byte, number uint64, last bool) error {
	if string(b[:8]) != "OVIWAL\r\n" || u32(b, 8) != 1 || u32(b, 12) != 224 || u64(b, 32) != number {
		return fmt.Errorf("header % x", b[:48])
	}
	if d.id == nil {
		d.id, d.next, d.chain = b[16:32], u64(b, 40), b[48:80]
	}
	want, digest := blake3.Sum256(b[:192]), blake3.Sum256(b[:128])
	if !bytes.Equal(d.id, b[16:32]) || u64(b, 40) != d.next || !bytes.Equal(d.chain, b[48:80]) ||
		crc32.Checksum(b[:92], crcTable) != u32(b, 92) || !bytes.Equal(want[:], b[192:224]) {
		return fmt.Errorf("header does not continue the log: % x", b[:224])
	}
	if !ed25519.Verify(b[96:128], append([]byte("ovi wal segment v1\n"), digest[:]...), b[128:192]) {
		return fmt.Errorf("signature of the header")
	}
	d.chain = b[192:224]
	at, kind := 224, byte(0)
	for at+48 <= len(b) && !bytes.Equal(b[at:at+48], make([]byte, 48)) {
		kind = b[at+4]
		n, err := d.frame(b, at)
		if err != nil {
			return fmt.Errorf("offset %d: %w", at, err)
		}
		at += n
	}
	if !last && kind != 2 || len(bytes.TrimRight(b[at:], "\x00")) != 0 {
		return fmt.Errorf("ends at %d with kind %d", at, kind)
	}
	return nil
}

func (d *documented) frame(b []byte, at int) (int, error) {
	h := b[at : at+48]
	sum := crc32.Checksum(append(bytes.Clone(d.id), h[:44]...), crcTable)
	if string(h[:4]) != "OVIF" || sum != u32(h, 44) || u64(h, 8) != d.next {
		return 0, fmt.Errorf("frame header % x", h)
	}
	stored := int(u32(h, 32))
	end := at + 48 + (stored+7)/8*8
	digest := blake3.Sum256(append(bytes.Clone(d.chain), b[at:end+32]...))
	message := append(append([]byte("ovi wal batch v1\n"), d.id...), digest[:]...)
	if !ed25519.Verify(b[end:end+32], message, b[end+32:end+96]) {
		return 0, fmt.Errorf("signature at record %d", d.next-1)
	}
	d.signed++
	end += 96
	chain := blake3.Sum256(append(bytes.Clone(d.chain), b[at:end]...))
	if !bytes.Equal(chain[:], b[end:end+32]) {
		return 0, fmt.Errorf("chain value")
	}
	payload := b[at+48 : at+48+stored]
	if h[4] != 1 {
		d.chain = chain[:]
		return end + 32 - at, nil
	}
	d.chain = chain[:]
	if h[5] == 1 {
		d.compressed++
		var err error
		if payload, err = s2.Decode(nil, payload); err != nil {
			return 0, err
		}
	}
	for range u32(h, 40) {
		n := u32(payload, 0)
		record := payload[8 : 8+n]
		if crc32.Checksum(record, crcTable) != u32(payload, 4) {
			return 0, fmt.Errorf("record %d", d.next)
		}
		d.records, d.next, payload = append(d.records, record), d.next+1, payload[8+n:]
	}
	return end + 32 - at, nil
}
