package wal_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"testing"

	"github.com/zeebo/blake3"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// climbed is the root that an inclusion leads to, as RFC 9162, section 2.1.3.2, computes it; false if the
// path has another length than the tree has levels.
func climbed(x wal.Inclusion, batches uint64) (wal.Hash, bool) {
	end := blake3.Sum256(slices.Concat(x.Before[:], x.Frame))
	h := wal.Hash(sha256.Sum256(append([]byte{0}, end[:]...)))
	at, last := x.Index, batches-1
	for _, p := range x.Path {
		if last == 0 {
			return h, false
		}
		if at%2 == 1 || at == last {
			h = sha256.Sum256(slices.Concat([]byte{1}, p[:], h[:]))
			for at%2 == 0 && at != 0 {
				at, last = at/2, last/2
			}
		} else {
			h = sha256.Sum256(slices.Concat([]byte{1}, h[:], p[:]))
		}
		at, last = at/2, last/2
	}
	return h, last == 0
}

// TestEveryBatchIsProved: the batch of every record that is kept leads to the root of any checkpoint behind
// it, also behind a trim, and none does once a byte of it is another.
func TestEveryBatchIsProved(t *testing.T) {
	drawn.Check(t, func(r *rapid.T) {
		l := mustOpen(t, vfs.NewMem(1))
		defer mustClose(t, l)
		var under []wal.Anchor
		n := rapid.IntRange(1, 90).Draw(r, "appends")
		for i := range n {
			appendN(t, l, rapid.IntRange(1, 3).Draw(r, "records"))
			if i == n/2 || i == n-1 {
				a, err := l.Anchor()
				if err != nil {
					t.Fatal(err)
				}
				under = append(under, a)
			}
		}
		if rapid.Bool().Draw(r, "trimmed") {
			if _, err := l.Trim(wal.Seq(rapid.IntRange(1, n).Draw(r, "first"))); err != nil {
				t.Fatal(err)
			}
		}
		first, _, err := l.First()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range under {
			proveAll(t, r, l, first, a)
		}
	})
}

func proveAll(t *testing.T, r *rapid.T, l *wal.Log, first wal.Seq, a wal.Anchor) {
	t.Helper()
	var seqs []wal.Seq
	for s := first; s <= a.Seq; s++ {
		seqs = append(seqs, s)
	}
	got, err := l.Prove(a, seqs)
	if len(seqs) == 0 && errors.Is(err, wal.ErrTrimmed) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range got {
		if root, ok := climbed(x, a.Batches); !ok || root != a.Root {
			t.Fatalf("batch %d of %d leads to %x, want %x", x.Index, a.Batches, root, a.Root)
		}
		x.Frame = slices.Clone(x.Frame)
		x.Frame[rapid.IntRange(0, len(x.Frame)-1).Draw(r, "byte")] ^= 1
		if root, _ := climbed(x, a.Batches); root == a.Root {
			t.Fatalf("batch %d was changed and leads to the same root", x.Index)
		}
	}
}

// TestWhatCannotBeProvedIsAnError: of another log, behind the checkpoint, or trimmed.
func TestWhatCannotBeProvedIsAnError(t *testing.T) {
	l := mustOpen(t, vfs.NewMem(1))
	defer mustClose(t, l)
	appendN(t, l, 3)
	a, err := l.Anchor()
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		appendN(t, l, 3)
	}
	if _, err := l.Prove(a, []wal.Seq{4}); !errors.Is(err, wal.ErrBehind) {
		t.Errorf("a record behind the checkpoint: %v, want ErrBehind", err)
	}
	other := a
	other.Seq++
	if _, err := l.Prove(other, []wal.Seq{1}); err == nil {
		t.Error("a checkpoint that was changed proves something")
	}
	if _, err := l.Trim(400); err != nil {
		t.Fatal(err)
	}
	later, err := l.Anchor()
	if err != nil {
		t.Fatal(err)
	}
	for _, under := range []wal.Anchor{a, later} {
		if _, err := l.Prove(under, []wal.Seq{1}); !errors.Is(err, wal.ErrTrimmed) {
			t.Errorf("a trimmed record: %v, want ErrTrimmed", err)
		}
	}
}
