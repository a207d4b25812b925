package wal_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// reopening appends and trims. After an error of the log it reopens the log in place and goes on.
func reopening(t *testing.T, fs vfs.FS) (h history, broke int) {
	t.Helper()
	l, err := wal.Open(dir, small(fs)...)
	if err != nil {
		return history{err: err}, 0
	}
	h.kept = 1
	for i := range 24 {
		n := 1 + i%4
		next := int(l.Frontier().Seq) + 1
		h.inFlight = max(h.inFlight, wal.Seq(next+n-1))
		_, err := l.Append(context.Background(), recordsFrom(next, n)...)
		if err == nil && i == 12 {
			h.kept = l.Frontier().Seq / 2
			_, err = l.Trim(h.kept)
		}
		if err != nil {
			broke++
			if err := l.Reopen(t.Context()); err != nil {
				t.Fatalf("reopen: %v", err)
			}
			records, first, err := readAll(l, 0)
			if err == nil {
				err = checkRecords(records, first)
			}
			if err != nil {
				t.Fatalf("after the log was reopened: %v", err)
			}
		}
		if got := l.Frontier().Seq; got < h.acknowledged.Seq {
			t.Fatalf("the log ends at %d, acknowledged were %d", got, h.acknowledged.Seq)
		}
		h.acknowledged = l.Frontier()
	}
	h.err = l.Close()
	return h, broke
}

// TestABrokenLogIsReopenedInPlace: after an error at any change to the disk the same Log goes on once it was reopened,
// with all that it acknowledged.
func TestABrokenLogIsReopenedInPlace(t *testing.T) {
	whole := vfs.NewMem(1)
	if h, broke := reopening(t, whole); h.err != nil || broke > 0 {
		t.Fatalf("without faults: %v", h.err)
	}
	reopened := 0
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC} {
		for k := 1; k <= whole.Ops(); k++ {
			m := vfs.NewMem(uint64(k))
			m.OnOp(func(op vfs.Op) error {
				if op.N == k {
					return fault
				}
				return nil
			})
			h, broke := reopening(t, m)
			if reopened += broke; h.acknowledged.Seq == 0 { // it was not opened
				continue
			}
			m.OnOp(nil)
			next := m.Kill()
			if err := checkAfter(next, h, true); err != nil {
				t.Fatalf("%v at change %d: %v", fault, k, err)
			}
			left := next.Crash(rand.New(rand.NewPCG(uint64(k), 11)))
			if r, err := wal.Verify(dir, publicKey(), small(left)...); err != nil || r.Last < h.acknowledged.Seq+3 {
				t.Fatalf("%v at change %d, then a power cut: up to %d, %v", fault, k, r.Last, err)
			}
		}
	}
	if reopened < whole.Ops() {
		t.Errorf("%d of %d errors broke the log", reopened, 2*whole.Ops())
	}
}

// TestReopenChangesNoSoundLog, nor one that is closed, and it fails while the disk does.
func TestReopenChangesNoSoundLog(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	appendN(t, l, 3)
	ops := m.Ops()
	if err := l.Reopen(t.Context()); err != nil || m.Ops() != ops {
		t.Errorf("a sound log: %v, %d changes", err, m.Ops()-ops)
	}
	m.OnOp(func(op vfs.Op) error {
		if op.Kind == "sync" {
			return syscall.EIO
		}
		return nil
	})
	if _, err := l.Append(t.Context(), record(4)); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if err := l.Reopen(t.Context()); !errors.Is(err, syscall.EIO) {
		t.Errorf("while the disk fails: %v", err)
	}
	if _, err := l.Append(t.Context(), record(4)); !errors.Is(err, wal.ErrBroken) {
		t.Errorf("append to a broken log: %v", err)
	}
	m.OnOp(nil)
	if err := l.Reopen(t.Context()); err != nil {
		t.Error(err)
	}
	appendN(t, l, 2)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Reopen(t.Context()); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("a closed log: %v", err)
	}
}
