package wal_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// TestAFollowedLogIsTheWholeLog follows a log of several segments batch by batch, from each record that was read
// last, by the Log that appends and by one that does not.
func TestAFollowedLogIsTheWholeLog(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	defer l.Close()
	var other *wal.Log
	seen := map[*wal.Log][][]byte{}
	from := map[*wal.Log]wal.Seq{}
	for i := range 120 {
		appendN(t, l, 1+i%4)
		if other == nil {
			other = mustOpen(t, m, wal.ReadOnly())
			defer other.Close()
		}
		for _, follower := range []*wal.Log{l, other} {
			for b, err := range follower.Read(from[follower]) {
				if err != nil {
					t.Fatalf("read from %d: %v", from[follower], err)
				}
				for j, r := range b.Records {
					if seq := b.First + wal.Seq(j); int(seq) == len(seen[follower])+1 {
						seen[follower] = append(seen[follower], r)
					}
				}
				from[follower] = b.First // the last batch is read again
			}
		}
	}
	for follower, got := range seen {
		if diff := cmp.Diff(recordsFrom(1, int(l.Frontier().Seq)), got); diff != "" {
			t.Errorf("follower that appends: %v (-want +got):\n%s", follower == l, diff)
		}
	}
}

// BenchmarkFollow appends one record and reads it, with 10 MB of the segment before it.
func BenchmarkFollow(b *testing.B) {
	l, err := wal.Open(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for i := range 1000 {
		text := fmt.Appendf(nil, "%d", i)
		for len(text) < 10_000 {
			text = fmt.Appendf(text, " %x", uint64(len(text)*i+1)*0x9e3779b97f4a7c15)
		}
		if _, err := l.Append(context.Background(), text); err != nil {
			b.Fatal(err)
		}
	}
	from := wal.Seq(1)
	for b.Loop() {
		if _, err := l.Append(context.Background(), []byte("next")); err != nil {
			b.Fatal(err)
		}
		for batch, err := range l.Read(from) {
			if err != nil {
				b.Fatal(err)
			}
			from = batch.First
		}
	}
}
