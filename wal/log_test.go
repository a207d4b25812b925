package wal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

func TestAppendAndRead(t *testing.T) {
	fs := vfs.NewMem(1)
	l := mustOpen(t, fs)
	at := time.Date(2026, 11, 21, 9, 0, 0, 123456789, time.UTC)
	lock, err := l.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want, err := lock.AppendBatch(wal.Draft{Meta: 42, At: at, Records: recordsFrom(1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if f := lock.Frontier(); f.Seq != 3 || f.Chain != want.Chain {
		t.Fatalf("frontier %v, want that of the batch", f)
	}
	if err := errors.Join(lock.Unlock(), lock.Unlock()); err != nil {
		t.Fatalf("unlock: %v", err)
	}
	appendN(t, l, 2)
	want.Records = recordsFrom(1, 3)
	for got, err := range l.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("batch (-want +got):\n%s", d)
		}
		break
	}
	for from, n := range map[wal.Seq]int{0: 5, 1: 5, 2: 4, 3: 3, 4: 2, 5: 1, 6: 0, 99: 0} {
		records, first, err := readAll(l, from)
		if err != nil || len(records) != n || n > 0 && first != max(from, 1) {
			t.Errorf("Read(%d): %d records from %d on, %v; want %d", from, len(records), first, err, n)
		}
	}
	mustClose(t, l)
	if err := l.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := l.Lock(context.Background()); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("Lock after Close: %v", err)
	}
	if _, err := l.Append(context.Background(), record(1)); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	if _, err := lock.Append(record(1)); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("append after Unlock: %v", err)
	}
}

func TestRecordsAreNotShared(t *testing.T) {
	l := mustOpen(t, vfs.NewMem(1))
	mine := []byte("mine")
	if _, err := l.Append(context.Background(), mine); err != nil {
		t.Fatal(err)
	}
	clear(mine)
	for b := range l.Read(0) {
		clear(b.Records[0])
	}
	for b := range l.Read(0) {
		if string(b.Records[0]) != "mine" {
			t.Fatalf("got %q", b.Records[0])
		}
	}
}

// TestLargeRecords: E8, an earlier attempt could not read records above 64 kB.
func TestLargeRecords(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l, err := wal.Open(name, wal.WithSegmentSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	for i, size := range []int{70_000, 5 << 20, 10, 3 << 20, 1 << 20} {
		r := bytes.Repeat([]byte(fmt.Sprint(i, "-")), size/2)
		if i%2 == 1 { // what does not compress
			for j := range r {
				r[j] = byte(uint32(j*j) * 2654435761 >> 13)
			}
		}
		want = append(want, r)
		if _, err := l.Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, l)
	if l, err = wal.Open(name); err != nil {
		t.Fatal(err)
	}
	got, _, err := readAll(l, 0)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d records, %v", len(got), err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("record %d differs", i+1)
		}
	}
	mustClose(t, l)
}

func TestRefusals(t *testing.T) {
	l := mustOpen(t, vfs.NewMem(1))
	if _, err := l.Append(context.Background()); err == nil {
		t.Error("no records were appended")
	}
	huge := bytes.Repeat([]byte("x"), 64<<20)
	if _, err := l.Append(context.Background(), huge, huge, huge, huge); !errors.Is(err, wal.ErrTooLarge) {
		t.Errorf("256 MiB: %v", err)
	}
	if b := appendN(t, l, 1); b.First != 1 {
		t.Errorf("a refused append left a trace: the next record is %d", b.First)
	}
	for _, o := range []wal.Option{
		wal.WithSegmentSize(10), wal.WithPrefill(-1),
		wal.WithSigningKey([]byte("short")),
	} {
		if _, err := wal.Open(dir, small(vfs.NewMem(1), o)...); err == nil {
			t.Error("an option that cannot work was taken")
		}
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	m, end := filled(t, 40)
	before := m.Ops()
	l := mustOpen(t, m, wal.ReadOnly())
	mustHold(t, l, 1, end.Seq)
	if _, err := l.Append(context.Background(), record(1)); !errors.Is(err, wal.ErrReadOnly) {
		t.Errorf("append: %v", err)
	}
	mustClose(t, l)
	if _, err := wal.Verify(dir, nil, small(m)...); err != nil {
		t.Error(err)
	}
	if m.Ops() != before {
		t.Errorf("%d changes were made", m.Ops()-before)
	}
	if _, err := wal.Open("data/none", small(m, wal.ReadOnly())...); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
}

func TestNewerVersionIsRefusedByName(t *testing.T) {
	m, _ := filled(t, 3)
	name := segments(t, m)[0]
	b := content(t, m, name)
	b[8] = 2
	replace(t, m, name, b)
	_, err := wal.Open(dir, small(m)...)
	if got := wantCorrupt(t, err); !strings.Contains(got.Reason, "damaged") {
		t.Errorf("a damaged version number: %v", err)
	}
	copy(b[92:], "\x01\x02\x03\x04") // the sum that a later format would have
	replace(t, m, name, b)
	_, err = wal.Open(dir, small(m)...)
	if !errors.Is(err, wal.ErrVersion) || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("a later format: %v", err)
	}
	if _, err = wal.Verify(dir, nil, small(m)...); !errors.Is(err, wal.ErrVersion) {
		t.Errorf("verify of a later format: %v", err)
	}
}

func TestTrim(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	for range 120 {
		appendN(t, l, 1)
	}
	n := len(segments(t, m))
	first, err := l.Trim(60)
	if err != nil || first > 60 || first < 30 {
		t.Fatalf("kept from %d on, %v", first, err)
	}
	if len(segments(t, m)) >= n {
		t.Fatalf("%d segments, there were %d", len(segments(t, m)), n)
	}
	mustHold(t, l, first, 120)
	if _, _, err := readAll(l, first-1); !errors.Is(err, wal.ErrTrimmed) {
		t.Errorf("read of what was trimmed: %v", err)
	}
	if again, err := l.Trim(60); again != first || err != nil {
		t.Errorf("trimmed again: %d, %v", again, err)
	}
	mustClose(t, l)
	r, err := wal.Verify(dir, publicKey(), small(m)...)
	if err != nil || r.First != first || r.Trimmed.IsZero() {
		t.Fatalf("%+v, %v", r, err)
	}
	notice := content(t, m, "trimmed")
	for i := range notice {
		changed := bytes.Clone(notice)
		changed[i] ^= 4
		replace(t, m, "trimmed", changed)
		if _, err := wal.Verify(dir, publicKey(), small(m)...); err == nil {
			t.Fatalf("byte %d of the trim notice was changed unnoticed", i)
		}
	}
	replace(t, m, "trimmed", notice)
	if err := m.Remove(path.Join(dir, "trimmed")); err != nil {
		t.Fatal(err)
	}
	_, err = wal.Open(dir, small(m)...)
	wantCorrupt(t, err)
}

func TestSince(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	at := map[wal.Seq]time.Time{}
	for range 60 {
		b := appendN(t, l, 2)
		at[b.First] = b.At
	}
	for first, when := range at {
		for _, moment := range []time.Time{when, when.Add(-time.Nanosecond)} {
			if got, err := l.Since(moment); got != first || err != nil {
				t.Fatalf("since %v: %d, %v; want %d", moment, got, err, first)
			}
		}
	}
	if got, err := l.Since(at[119].Add(time.Hour)); got != 121 || err != nil {
		t.Errorf("since a time to come: %d, %v", got, err)
	}
	first, err := l.Trim(60)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Since(time.Time{}); got != first || err != nil {
		t.Errorf("since ever: %d, %v; want %d", got, err, first)
	}
	if got, when, err := l.First(); got != first || when.IsZero() || err != nil {
		t.Errorf("first: %d, %v, %v", got, when, err)
	}
	mustClose(t, l)
}

func TestCheckpointLine(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	appendN(t, l, 3)
	c, err := l.Anchor()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := l.Anchor(); err != nil || again.String() != c.String() {
		t.Errorf("nothing was appended, and the checkpoint differs: %v", err)
	}
	line := c.String()
	back, err := wal.ParseAnchor(line + "\n")
	if err != nil || back.String() != line || strings.ContainsAny(line, " \n\t") {
		t.Fatalf("line %q came back as %q, %v", line, back, err)
	}
	for i := range line {
		changed := []byte(line)
		changed[i] ^= 1
		if c, err := wal.ParseAnchor(string(changed)); err == nil && c.String() != line {
			t.Errorf("a changed line was taken: %q", changed)
		}
	}
	mustClose(t, l)
	l = mustOpen(t, m) // reopening does not lose that it is signed
	if again, err := l.Anchor(); err != nil || again.String() != line {
		t.Errorf("after reopening the checkpoint differs: %v", err)
	}
	for range 50 {
		appendN(t, l, 1)
	}
	mustClose(t, l)
	if _, err := wal.Verify(dir, publicKey(), small(m, wal.WithAnchor(c))...); err != nil {
		t.Error(err)
	}
	other, _ := filled(t, 3)
	if _, err := wal.Verify(dir, publicKey(), small(other, wal.WithAnchor(c))...); err == nil {
		t.Error("a checkpoint of another log was taken")
	}
}

func TestKeyFile(t *testing.T) {
	root := t.TempDir()
	name := filepath.Join(root, "data", "log")
	l, err := wal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	key := l.PublicKey()
	if _, err := l.Append(context.Background(), record(2)); err != nil {
		t.Fatal(err)
	}
	mustClose(t, l)
	info, err := os.Stat(name + ".key")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("key file: %v, %v", info, err)
	}
	entries, _ := os.ReadDir(name)
	for _, e := range entries {
		info, _ := e.Info()
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v", info.Mode())
	}
	if r, err := wal.Verify(name, key); err != nil || r.Signed != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	text, _ := os.ReadFile(name + ".key")
	if private, err := wal.ParseSigningKey(text); err != nil || !key.Equal(private.Public()) {
		t.Fatalf("the key file does not hold the key: %v", err)
	}
	if back, err := wal.ParsePublicKey(wal.FormatPublicKey(key)); err != nil || !back.Equal(key) {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".key", []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := wal.Open(name); err == nil || !strings.Contains(err.Error(), "log.key") {
		t.Errorf("a key file of nonsense: %v", err)
	}
}
