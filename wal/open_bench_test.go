package wal_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/wal"
)

// BenchmarkOpenMillion opens a log of a million records: what is verified is the last segment and one signature,
// however long the log is.
func BenchmarkOpenMillion(b *testing.B) {
	name := filepath.Join(b.TempDir(), "log")
	l, err := wal.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	const batch = 2000
	for first := 1; first <= 1_000_000; first += batch {
		records := make([][]byte, batch)
		for i := range records {
			records[i] = fmt.Appendf(nil, `{"v":2,"seq":%d,"event":"observed","data":{"text":"%x"}}`, first+i, uint64(first+i)*0x9e3779b97f4a7c15)
		}
		if _, err := l.Append(context.Background(), records...); err != nil {
			b.Fatal(err)
		}
	}
	mustClose(b, l)
	for b.Loop() {
		l, err := wal.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		mustClose(b, l)
	}
}

// BenchmarkAppendSynced appends a small batch to a log on disk: its signature is a part of each write.
func BenchmarkAppendSynced(b *testing.B) {
	l, err := wal.Open(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Append(context.Background(), recordsFrom(2, 3)...); err != nil {
			b.Fatal(err)
		}
	}
	mustClose(b, l)
}
