package bolt_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// liveState is a store of n things of 600 bytes.
func liveState(b *testing.B, n int) (storage.Store, storage.Revision) {
	s, err := bolt.Open(filepath.Join(b.TempDir(), "store.db"))
	if err != nil {
		b.Fatal(err)
	}
	var tx storage.Tx
	for i := range n {
		tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("obs/aws/us-east-1/ec2/i-%016x", i), Value: make([]byte, 600)})
	}
	rev, err := s.Commit(b.Context(), tx)
	if err != nil {
		b.Fatal(err)
	}
	return s, rev
}

func BenchmarkRange(b *testing.B) {
	s, _ := liveState(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		seq, _, err := s.Range(b.Context(), "obs/", storage.Now)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range seq {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkStats(b *testing.B) {
	s, _ := liveState(b, 10_000)
	for b.Loop() {
		if _, err := s.Stats(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommit(b *testing.B) {
	s, _ := liveState(b, 10_000)
	i := 0
	for b.Loop() {
		i++
		key := fmt.Sprintf("obs/aws/us-east-1/ec2/i-%016x", i*31%10_000)
		if _, err := s.Commit(b.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: make([]byte, 600)}}}); err != nil {
			b.Fatal(err)
		}
	}
}
