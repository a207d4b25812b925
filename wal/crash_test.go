package wal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// history is what a run of the workload knows for sure.
type history struct {
	acknowledged wal.Frontier // of the last append that returned nil
	inFlight     wal.Seq      // the last record that may exist
	kept         wal.Seq      // the oldest record that must exist
	err          error
}

// workload appends, signs, trims and reopens until something fails.
func workload(fs vfs.FS) (h history) {
	h.kept = 1
	var l *wal.Log
	for round := range 3 {
		if l, h.err = wal.Open(dir, small(fs)...); h.err != nil {
			return h
		}
		for i := range 14 {
			n := 1 + i%4
			next := int(l.Frontier().Seq) + 1
			h.inFlight = max(h.inFlight, wal.Seq(next+n-1))
			if _, h.err = l.Append(context.Background(), recordsFrom(next, n)...); h.err != nil {
				return h
			}
			h.acknowledged = l.Frontier()
		}
		if round == 1 {
			keep := h.acknowledged.Seq / 2
			h.kept = keep
			if _, h.err = l.Trim(keep); h.err != nil {
				return h
			}
		}
		if h.err = l.Close(); h.err != nil {
			return h
		}
	}
	return h
}

// checkAfter opens what a failure left and checks the promises: all that was
// acknowledged is there, nothing else, and the log goes on.
func checkAfter(fs vfs.FS, h history, verify bool) error {
	l, err := wal.Open(dir, small(fs, wal.WithFrontier(h.acknowledged.Seq, h.acknowledged.Chain))...)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	records, first, err := readAll(l, 0)
	if err == nil {
		err = checkRecords(records, first)
	}
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	last := first + wal.Seq(len(records)) - 1
	if len(records) == 0 {
		first, last = 1, 0
	}
	if first > max(h.kept, 1) || last < h.acknowledged.Seq || last > h.inFlight {
		return fmt.Errorf("holds %d..%d, acknowledged were %d..%d, in flight %d", first, last, h.kept, h.acknowledged.Seq,
			h.inFlight)
	}
	if _, err := l.Append(context.Background(), recordsFrom(int(last)+1, 3)...); err != nil {
		return fmt.Errorf("append afterwards: %w", err)
	}
	if err := l.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	if !verify {
		return nil
	}
	report, err := wal.Verify(dir, publicKey(), small(fs)...)
	if err == nil && (report.Last != last+3 || report.Torn != nil) {
		err = fmt.Errorf("report ends at %d (%v), want %d", report.Last, report.Torn, last+3)
	}
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

// stopAt makes the power fail at the k-th change.
func stopAt(m *vfs.Mem, k int) {
	m.OnOp(func(op vfs.Op) error {
		if op.N >= k {
			return vfs.ErrStopped
		}
		return nil
	})
}

// TestCrashPoints stops the workload at each of its changes to the disk and
// looks at 1,000 of the states that a power cut can leave there; with OVI_CRASHES=all at 10,000.
func TestCrashPoints(t *testing.T) {
	whole := vfs.NewMem(1)
	if h := workload(whole); h.err != nil {
		t.Fatalf("without faults: %v", h.err)
	}
	states := 1_000
	if os.Getenv("OVI_CRASHES") == "all" {
		states = 10_000
	}
	draws := states/whole.Ops() + 1
	points := 0
	for k := 1; k <= whole.Ops(); k++ {
		m := vfs.NewMem(uint64(k))
		stopAt(m, k)
		h := workload(m)
		if h.err == nil {
			t.Fatalf("change %d: the workload did not notice the power cut", k)
		}
		for draw := range draws {
			points++
			left := m.Crash(rand.New(rand.NewPCG(uint64(k), uint64(draw))))
			if err := checkAfter(left, h, draw%8 == 0); err != nil {
				t.Fatalf("change %d, draw %d: %v", k, draw, err)
			}
		}
	}
	t.Logf("%d crash points: %d changes, %d states each", points, whole.Ops(), draws)
}

// TestKilledProcess stops the workload at each change, loses nothing that was
// written, and lets the next process go on.
func TestKilledProcess(t *testing.T) {
	whole := vfs.NewMem(1)
	workload(whole)
	for k := 1; k <= whole.Ops(); k++ {
		m := vfs.NewMem(uint64(k))
		stopAt(m, k)
		h := workload(m)
		next := m.Kill()
		if err := checkAfter(next, h, true); err != nil {
			t.Fatalf("change %d: %v", k, err)
		}
		// What the next process acknowledged must outlive a power cut too, also
		// where it follows what the killed one left in memory.
		left := next.Crash(rand.New(rand.NewPCG(uint64(k), 7)))
		if r, err := wal.Verify(dir, publicKey(), small(left)...); err != nil || r.Last < h.acknowledged.Seq+3 {
			t.Fatalf("change %d, then a power cut: up to %d, %v", k, r.Last, err)
		}
	}
}

// TestEveryFaultIsSurvived fails the k-th change with an error of the disk, for
// all k: no append is acknowledged by mistake, and reopening goes on.
func TestEveryFaultIsSurvived(t *testing.T) {
	whole := vfs.NewMem(1)
	workload(whole)
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC} {
		for k := 1; k <= whole.Ops(); k++ {
			m := vfs.NewMem(uint64(k))
			m.OnOp(func(op vfs.Op) error {
				if op.N == k {
					return fault
				}
				return nil
			})
			h := workload(m)
			if h.err == nil {
				t.Fatalf("%v at change %d passed unnoticed", fault, k)
			}
			if !errors.Is(h.err, fault) {
				t.Fatalf("%v at change %d: got %v", fault, k, h.err)
			}
			m.OnOp(nil)
			next := m.Kill()
			if err := checkAfter(next, h, true); err != nil {
				t.Fatalf("%v at change %d: %v", fault, k, err)
			}
			left := next.Crash(rand.New(rand.NewPCG(uint64(k), 9)))
			if r, err := wal.Verify(dir, publicKey(), small(left)...); err != nil || r.Last < h.acknowledged.Seq+3 {
				t.Fatalf("%v at change %d, then a power cut: up to %d, %v", fault, k, r.Last, err)
			}
		}
	}
}

// TestFailedSyncBreaksTheLog: after it nothing is acknowledged until the log is
// opened again, and reading goes on.
func TestFailedSyncBreaksTheLog(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	appendN(t, l, 3)
	m.OnOp(func(op vfs.Op) error {
		if op.Kind == "sync" {
			return syscall.EIO
		}
		return nil
	})
	if _, err := l.Append(context.Background(), record(4)); !errors.Is(err, syscall.EIO) {
		t.Fatalf("got %v, want EIO", err)
	}
	m.OnOp(nil)
	if _, err := l.Append(context.Background(), record(4)); !errors.Is(err, wal.ErrBroken) ||
		!errors.Is(err, syscall.EIO) {
		t.Fatalf("got %v, want ErrBroken for EIO", err)
	}
	mustHold(t, l, 1, 3)
	if err := l.Close(); !errors.Is(err, wal.ErrBroken) {
		t.Fatalf("close: got %v, want ErrBroken", err)
	}
	l = mustOpen(t, m)
	last := l.Frontier().Seq
	appendN(t, l, 1)
	mustHold(t, l, 1, last+1)
	mustClose(t, l)
}

// TestFullDisk: the append is refused, everything stays readable, and when there
// is room again a reopened log goes on.
func TestFullDisk(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	appendN(t, l, 5)
	m.Limit(6000)
	var full error
	for full == nil {
		_, full = l.Append(context.Background(), recordsFrom(int(l.Frontier().Seq)+1, 3)...)
	}
	if !errors.Is(full, syscall.ENOSPC) || !strings.Contains(full.Error(), ".wal") {
		t.Fatalf("got %v, want ENOSPC with the name of the segment", full)
	}
	last := l.Frontier().Seq
	mustHold(t, l, 1, last)
	if err := l.Close(); !errors.Is(err, wal.ErrBroken) {
		t.Fatalf("close: got %v, want ErrBroken", err)
	}
	m.Limit(1 << 30)
	l = mustOpen(t, m, wal.WithFrontier(last, l.Frontier().Chain))
	got := appendN(t, l, 4)
	mustHold(t, l, 1, got.Last)
	mustClose(t, l)
}
