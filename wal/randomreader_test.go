package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ovi-project/ovi/wal"
)

// long is a log of many batches of many sizes, some as large as a segment, over many segments.
func long(t *testing.T) (*wal.Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wal")
	l, err := wal.Open(dir, wal.WithSegmentSize(150<<10), wal.WithPrefill(8<<10))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for i := range 150 {
		records := make([][]byte, 1+i%5)
		for j := range records {
			size := 40 + i*37%900
			if i%60 == 50 {
				size = 180 << 10
			}
			records[j] = noise(uint64(i*10+j), size)
		}
		if _, err := l.Append(t.Context(), records...); err != nil {
			t.Fatal(err)
		}
	}
	return l, dir
}

// noise cannot be compressed, so that places in a segment are far apart.
func noise(seed uint64, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		out[i] = byte(seed >> 56)
	}
	return out
}

// TestRandomReaderAgreesWithRead reads every record of a long log, in both directions.
func TestRandomReaderAgreesWithRead(t *testing.T) {
	l, _ := long(t)
	var all []wal.Batch
	for b, err := range l.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	p := l.RandomReader()
	defer p.Close()
	for i := range all {
		for _, b := range []wal.Batch{all[i], all[len(all)-1-i]} {
			for seq := b.First; seq <= b.Last; seq++ {
				got, err := p.Batch(seq)
				if err != nil {
					t.Fatalf("record %d: %v", seq, err)
				}
				if !reflect.DeepEqual(b, got) {
					t.Fatalf("record %d: got %d to %d, want %d to %d", seq, got.First, got.Last, b.First, b.Last)
				}
			}
		}
	}
	end := all[len(all)-1].Last
	if _, err := p.Batch(end + 1); !errors.Is(err, wal.ErrBehind) {
		t.Errorf("a record to come: %v", err)
	}
	if _, err := l.Append(t.Context(), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, err := p.Batch(end + 1); err != nil || string(b.Records[0]) != "new" {
		t.Errorf("a record that came later: %+v, %v", b, err)
	}
	first, err := l.Trim(end / 2)
	if err != nil || first < 2 {
		t.Fatalf("trim: %d, %v", first, err)
	}
	fresh := l.RandomReader()
	defer fresh.Close()
	if _, err := fresh.Batch(first - 1); !errors.Is(err, wal.ErrTrimmed) {
		t.Errorf("a trimmed record: %v", err)
	}
	if b, err := fresh.Batch(first); err != nil || b.First != first {
		t.Errorf("the oldest record: %+v, %v", b, err)
	}
}

// TestRandomReaderFindsAChangedByte: whichever byte of a batch is flipped, the batch is an error.
func TestRandomReaderFindsAChangedByte(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wal")
	l, err := wal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := l.Append(t.Context(), fmt.Appendf(nil, "record %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	defer l.Close()
	names, err := filepath.Glob(filepath.Join(dir, "*.wal"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, []byte("record 1"))
	for i := at - 8 - 48; i < at+len("record 1")+32; i++ { // its header, its text, its link of the chain
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		if err := os.WriteFile(names[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		p := l.RandomReader()
		if b, err := p.Batch(2); err == nil {
			t.Errorf("byte %d: got %q", i-at, b.Records)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
