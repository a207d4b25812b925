package wal_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// FuzzOpen opens any bytes as the only segment of a log: no panic; what opens
// can be appended to; and since no input hits a 256-bit chain by chance,
// nothing is read that was not in a log we wrote.
func FuzzOpen(f *testing.F) {
	m := vfs.NewMem(1)
	l, err := wal.Open(dir, small(m, wal.WithSegmentSize(1<<20), wal.WithPrefill(64))...)
	if err != nil {
		f.Fatal(err)
	}
	for n := range 4 {
		appendN(f, l, n+1)
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	whole := content(f, m, "000000000001.wal")
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(whole[:128])
	f.Add([]byte{})
	f.Add(append(bytes.Clone(whole), "rubbish"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := vfs.NewMem(1)
		if err := m.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		replace(t, m, "000000000001.wal", b)
		report, verifyErr := wal.Verify(dir, nil, small(m)...)
		l, err := wal.Open(dir, small(m)...)
		if err != nil {
			var corrupt *wal.CorruptError
			if !errors.As(err, &corrupt) && !errors.Is(err, wal.ErrVersion) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		records, first, err := readAll(l, 0)
		if err != nil {
			t.Fatalf("what Open took cannot be read: %v", err)
		}
		if err := checkRecords(records, max(first, 1)); err != nil {
			t.Fatalf("invented: %v", err)
		}
		if verifyErr == nil && int(report.Last) != len(records) {
			t.Fatalf("verified %d records, read %d", report.Last, len(records))
		}
		if _, err := l.Append(context.Background(), []byte("more")); err != nil {
			t.Fatalf("append: %v", err)
		}
		mustClose(t, l)
	})
}

// FuzzLockFile puts any bytes in place of the tail hint.
func FuzzLockFile(f *testing.F) {
	m, end := filled(f, 9)
	whole := content(f, m, "lock")
	f.Add(whole)
	f.Add(whole[:50])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		left := m.Kill()
		replace(t, left, "lock", b)
		l, err := wal.Open(dir, small(left)...)
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		mustHold(t, l, 1, end.Seq)
		mustClose(t, l)
	})
}

// FuzzParseAnchor: what is taken comes back as it was.
func FuzzParseAnchor(f *testing.F) {
	l := mustOpen(f, vfs.NewMem(1))
	appendN(f, l, 1)
	c, err := l.Anchor()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c.String())
	f.Add("ovi-checkpoint-v1:::::::")
	f.Fuzz(func(t *testing.T, line string) {
		c, err := wal.ParseAnchor(line)
		if err != nil {
			return
		}
		again, err := wal.ParseAnchor(c.String())
		if err != nil || again.String() != c.String() || !c.Valid() {
			t.Fatalf("%q came back as %q: %v", line, c, err)
		}
	})
}

// FuzzTrimNotice puts any bytes in place of the notice of a Trim.
func FuzzTrimNotice(f *testing.F) {
	m, end := filled(f, 60)
	l := mustOpen(f, m)
	if _, err := l.Trim(30); err != nil {
		f.Fatal(err)
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	whole := content(f, m, "trimmed")
	f.Add(whole)
	f.Add([]byte("ovi-trim-v1:2"))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := m.Kill()
		replace(t, left, "trimmed", b)
		l, err := wal.Open(dir, small(left, wal.ReadOnly(), wal.WithFrontier(end.Seq, end.Chain))...)
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		if !bytes.Equal(b, whole) {
			t.Fatalf("another notice was taken: %q", b)
		}
		mustClose(t, l)
	})
}
