package wal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// TestMain runs as an appending process when a test asks for one.
func TestMain(m *testing.M) {
	if name := os.Getenv("OVI_WAL_TEST_APPENDER"); name != "" {
		os.Exit(appender(name, os.Getenv("OVI_WAL_TEST_DIR")))
	}
	os.Exit(m.Run())
}

// appender appends 200 records under its name and prints a line after each.
func appender(name, dir string) int {
	l, err := wal.Open(dir, wal.WithSegmentSize(8<<10))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for i := range 200 {
		b, err := l.Append(context.Background(), fmt.Appendf(nil, "%s %d", name, i))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(b.First, name, i)
	}
	if err := l.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestProcessesShareALog lets three processes append to one log at once: the
// sequence has no gap, and each record has the number that its Append returned.
func TestProcessesShareALog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outputs := make([]strings.Builder, 3)
	var procs []*exec.Cmd
	for i := range outputs {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("OVI_WAL_TEST_APPENDER=p%d", i), "OVI_WAL_TEST_DIR="+name)
		cmd.Stdout, cmd.Stderr = &outputs[i], &outputs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		procs = append(procs, cmd)
	}
	acknowledged := map[string]bool{}
	for i, p := range procs {
		if err := p.Wait(); err != nil {
			t.Fatalf("%v: %s", err, &outputs[i])
		}
		for _, line := range strings.Split(strings.TrimSpace(outputs[i].String()), "\n") {
			acknowledged[line] = true
		}
	}
	l, err := wal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	records, first, err := readAll(l, 0)
	if err != nil || first != 1 || len(records) != 600 {
		t.Fatalf("%d records from %d on, %v", len(records), first, err)
	}
	for i, r := range records {
		if line := fmt.Sprintf("%d %s", i+1, r); !acknowledged[line] {
			t.Fatalf("%q was not acknowledged", line)
		}
	}
	mustClose(t, l)
	if r, err := wal.Verify(name, l.PublicKey()); err != nil || r.Records != 600 {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestKilledHolder kills processes while they append: what was acknowledged is
// kept, and the next process does not wait for the append lock.
func TestKilledHolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	for i := range 5 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("OVI_WAL_TEST_APPENDER=k%d", i), "OVI_WAL_TEST_DIR="+name)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 20 + 7*i {
			var seq, n int
			var who string
			if _, err := fmt.Fscanln(out, &seq, &who, &n); err != nil {
				t.Fatal(err)
			}
			acknowledged = seq
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	l, err := wal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := readAll(l, 0)
	if err != nil || len(records) < acknowledged {
		t.Fatalf("%d records, %d were acknowledged: %v", len(records), acknowledged, err)
	}
	mustClose(t, l)
}

// TestTwoLogsAlternate has two Logs on one directory follow each other over
// rotations and a Trim.
func TestTwoLogsAlternate(t *testing.T) {
	m := vfs.NewMem(1)
	logs := []*wal.Log{mustOpen(t, m), mustOpen(t, m)}
	for i := range 200 {
		l := logs[(i/3)%2]
		b, err := l.Append(context.Background(), record(i+1))
		if err != nil {
			t.Fatal(err)
		}
		if b.First != wal.Seq(i+1) {
			t.Fatalf("record %d got number %d", i+1, b.First)
		}
	}
	for _, l := range logs {
		mustHold(t, l, 1, 200)
	}
	first, err := logs[0].Trim(150)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := logs[1].Append(context.Background(), record(201)); err != nil {
		t.Fatal(err)
	}
	mustHold(t, logs[0], first, 201)
	mustClose(t, logs[0])
	mustClose(t, logs[1])
}

func TestLockTimesOut(t *testing.T) {
	m := vfs.NewMem(1)
	a, b := mustOpen(t, m), mustOpen(t, m)
	lock, err := a.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*wal.Log{a, b} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err = l.Append(ctx, record(1))
		cancel()
		var held *wal.LockedError
		if !errors.As(err, &held) || held.PID != os.Getpid() || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want a LockedError with the process", err)
		}
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if batch := appendN(t, b, 1); batch.First != 1 {
		t.Fatalf("an append that gave up left a trace: the next record is %d", batch.First)
	}
}

// TestGroupCommit: many goroutines, few syncs, and each gets its own numbers.
func TestGroupCommit(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m, wal.WithSegmentSize(1<<20))
	syncs := 0
	m.OnOp(func(op vfs.Op) error {
		if op.Kind == "sync" {
			syncs++
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	const callers, each = 16, 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	at := map[wal.Seq]string{}
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				text := fmt.Sprintf("%d/%d", c, i)
				b, err := l.Append(context.Background(), []byte(text+"a"), []byte(text+"b"))
				if err != nil || b.Last != b.First+1 {
					t.Errorf("%s: %d..%d, %v", text, b.First, b.Last, err)
					return
				}
				mu.Lock()
				at[b.First] = text
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	m.OnOp(nil)
	records, _, err := readAll(l, 0)
	if err != nil || len(records) != 2*callers*each {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for i := 0; i < len(records); i += 2 {
		want := at[wal.Seq(i+1)]
		if string(records[i]) != want+"a" || string(records[i+1]) != want+"b" {
			t.Fatalf("record %d is %q, want %q", i+1, records[i], want+"a")
		}
	}
	if syncs > callers*each/4 {
		t.Errorf("%d syncs for %d appends", syncs, callers*each)
	}
	mustClose(t, l)
}

// TestReadersDoNotWait reads from another Log while one holds the append lock, and sees
// just what was acknowledged.
func TestReadersDoNotWait(t *testing.T) {
	m := vfs.NewMem(1)
	a, b := mustOpen(t, m), mustOpen(t, m)
	lock, err := a.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if _, err := lock.Append(record(i + 1)); err != nil {
			t.Fatal(err)
		}
		mustHold(t, b, 1, wal.Seq(i+1))
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}
