package wal_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

const dir = "data/log"

// testKey is a key for tests only.
func testKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte("not-a-secret-key"), 2))
}

func publicKey() ed25519.PublicKey { return testKey().Public().(ed25519.PublicKey) }

// clock returns a clock that advances by a millisecond at each call.
func clock() func() time.Time {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Millisecond); return now }
}

// options for small logs in memory.
func small(fs vfs.FS, more ...wal.Option) []wal.Option {
	return append([]wal.Option{
		wal.WithFS(fs), wal.WithSigningKey(testKey()), wal.WithClock(clock()),
		wal.WithSegmentSize(4096), wal.WithPrefill(1024), wal.WithLockWait(time.Minute),
	}, more...)
}

func mustOpen(t testing.TB, fs vfs.FS, more ...wal.Option) *wal.Log {
	t.Helper()
	l, err := wal.Open(dir, small(fs, more...)...)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return l
}

// record number i; some are long, some repeat, a few are empty.
func record(i int) []byte {
	switch i % 7 {
	case 0:
		return fmt.Appendf(nil, "record %d %s", i, bytes.Repeat([]byte("abc"), 300))
	case 1:
		return []byte{}
	default:
		return fmt.Appendf(nil, "record %d %x", i, uint64(i)*0x9e3779b97f4a7c15)
	}
}

func recordsFrom(first, n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = record(first + i)
	}
	return out
}

// appendN appends the next n records as one batch.
func appendN(t testing.TB, l *wal.Log, n int) wal.Batch {
	t.Helper()
	b, err := l.Append(context.Background(), recordsFrom(int(l.Frontier().Seq)+1, n)...)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return b
}

// readAll returns what the log holds from a record on, up to the first error.
func readAll(l *wal.Log, from wal.Seq) (records [][]byte, first wal.Seq, err error) {
	next := wal.Seq(0)
	for b, err := range l.Read(from) {
		if err != nil {
			return records, first, err
		}
		if next != 0 && b.First != next || b.Last != b.First+wal.Seq(len(b.Records))-1 {
			return records, first, fmt.Errorf("batch %d..%d of %d records behind record %d", b.First, b.Last, len(b.Records),
				next-1)
		}
		if first == 0 {
			first = b.First
		}
		next = b.Last + 1
		records = append(records, b.Records...)
	}
	return records, first, nil
}

// checkRecords reports a difference from records first, first+1, and so on.
func checkRecords(records [][]byte, first wal.Seq) error {
	for i, r := range records {
		if want := record(int(first) + i); !bytes.Equal(r, want) {
			return fmt.Errorf("record %d is %.40q, want %.40q", int(first)+i, r, want)
		}
	}
	return nil
}

// mustHold checks that the log holds records first..last, and they are right.
func mustHold(t testing.TB, l *wal.Log, first, last wal.Seq) {
	t.Helper()
	records, got, err := readAll(l, 0)
	if err == nil {
		err = checkRecords(records, got)
	}
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if len(records) != int(last-first+1) || len(records) > 0 && got != first {
		t.Fatalf("log holds %d records from %d on, want %d..%d", len(records), got, first, last)
	}
}

func mustClose(t testing.TB, l *wal.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// wantCorrupt asserts that an error is a CorruptError and returns it.
func wantCorrupt(t testing.TB, err error) *wal.CorruptError {
	t.Helper()
	var corrupt *wal.CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatalf("got %v, want a CorruptError", err)
	}
	return corrupt
}
