package wal_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// machine drives two Logs on one directory against a model: the number of the
// last acknowledged record and of the oldest one that must be kept.
type machine struct {
	fs           *vfs.Mem
	logs         [2]*wal.Log
	acknowledged wal.Frontier
	kept         wal.Seq
}

// log returns one of the two Logs, opened if it was not.
func (m *machine) log(t *rapid.T) *wal.Log {
	i := rapid.IntRange(0, 1).Draw(t, "log")
	if m.logs[i] == nil {
		l, err := wal.Open(dir, small(m.fs, wal.WithFrontier(m.acknowledged.Seq, m.acknowledged.Chain))...)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		m.logs[i] = l
	}
	return m.logs[i]
}

func (m *machine) Append(t *rapid.T) {
	l := m.log(t)
	lock, err := l.Lock(context.Background())
	if err != nil {
		t.Fatalf("lock: %v", err)
	}
	for range rapid.IntRange(1, 3).Draw(t, "batches") {
		n := rapid.IntRange(1, 9).Draw(t, "records")
		b, err := lock.Append(recordsFrom(int(m.acknowledged.Seq)+1, n)...)
		if err != nil || b.First != m.acknowledged.Seq+1 {
			t.Fatalf("append: record %d, want %d: %v", b.First, m.acknowledged.Seq+1, err)
		}
		m.acknowledged = lock.Frontier()
	}
	if err := lock.Unlock(); err != nil {
		t.Fatalf("unlock: %v", err)
	}
}

func (m *machine) Close(t *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(t, "log")
	if m.logs[i] == nil {
		t.Skip("closed")
	}
	if err := m.logs[i].Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	m.logs[i] = nil
}

func (m *machine) Trim(t *rapid.T) {
	keep := wal.Seq(rapid.Uint64Range(0, uint64(m.acknowledged.Seq)).Draw(t, "keep"))
	first, err := m.log(t).Trim(keep)
	if err != nil || first > max(keep, m.kept, 1) {
		t.Fatalf("trim before %d kept from %d on: %v", keep, first, err)
	}
	m.kept = max(m.kept, first)
}

func (m *machine) Checkpoint(t *rapid.T) {
	c, err := m.log(t).Anchor()
	if err != nil || c.Seq != m.acknowledged.Seq || !c.Valid() {
		t.Fatalf("checkpoint of %d, want %d: %v", c.Seq, m.acknowledged.Seq, err)
	}
}

// Crash cuts the power, or kills the processes, during an append.
func (m *machine) Crash(t *rapid.T) {
	l, stop := m.log(t), m.fs.Ops()+rapid.IntRange(1, 6).Draw(t, "after")
	stopAt(m.fs, stop)
	n := rapid.IntRange(1, 9).Draw(t, "records")
	_, err := l.Append(context.Background(), recordsFrom(int(m.acknowledged.Seq)+1, n)...)
	if err == nil {
		m.acknowledged = l.Frontier()
		n = 0
	}
	if rapid.Bool().Draw(t, "power cut") {
		m.fs = m.fs.Crash(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
	} else {
		m.fs = m.fs.Kill()
	}
	m.logs = [2]*wal.Log{}
	// What was in flight is there as a whole, or not at all.
	end := m.log(t).Frontier()
	if end.Seq != m.acknowledged.Seq && end.Seq != m.acknowledged.Seq+wal.Seq(n) {
		t.Fatalf("after the crash the log ends at %d; acknowledged were %d, in flight %d more", end.Seq, m.acknowledged.Seq,
			n)
	}
	m.acknowledged = end
}

// Check reads everything through a Log that may not have had the append lock lately.
func (m *machine) Check(t *rapid.T) {
	records, first, err := readAll(m.log(t), 0)
	if err == nil {
		err = checkRecords(records, first)
	}
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if len(records) == 0 {
		first = m.acknowledged.Seq + 1
	}
	if first > max(m.kept, 1) || first+wal.Seq(len(records)) != m.acknowledged.Seq+1 {
		t.Fatalf("log holds %d records from %d on, want %d..%d", len(records), first, m.kept, m.acknowledged.Seq)
	}
}

func (m *machine) Verify(t *rapid.T) {
	r, err := wal.Verify(dir, publicKey(), small(m.fs, wal.WithFrontier(m.acknowledged.Seq, m.acknowledged.Chain))...)
	if m.logs[0] == nil && m.logs[1] == nil && m.acknowledged.Seq == 0 {
		t.Skip("nothing yet")
	}
	if err != nil || r.Last != m.acknowledged.Seq {
		t.Fatalf("verify: up to %d, want %d: %v", r.Last, m.acknowledged.Seq, err)
	}
}

func TestAgainstModel(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		m := &machine{fs: vfs.NewMem(1)}
		t.Repeat(map[string]func(*rapid.T){
			"append": m.Append, "append more": m.Append, "close": m.Close, "trim": m.Trim,
			"checkpoint": m.Checkpoint, "crash": m.Crash, "check": m.Check, "verify": m.Verify,
		})
	})
}
