package wal_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

func strangerKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte("a stranger's key"), 2))
}

// wantForeign asserts that an error is a ForeignError and that the log is as it was.
func wantForeign(t *testing.T, m *vfs.Mem, before map[string][]byte, err error) *wal.ForeignError {
	t.Helper()
	var foreign *wal.ForeignError
	if !errors.As(err, &foreign) {
		t.Fatalf("got %v, want a ForeignError", err)
	}
	for name, was := range before {
		if now := content(t, m, name); !bytes.Equal(now, was) {
			t.Errorf("%s was changed", name)
		}
	}
	return foreign
}

func contents(t *testing.T, m *vfs.Mem) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range segments(t, m) {
		out[name] = content(t, m, name)
	}
	return out
}

// TestAForeignLogIsRefused: a log that another key made, whatever its length, and one without a key beside it.
func TestAForeignLogIsRefused(t *testing.T) {
	for name, n := range map[string]int{"empty": 0, "one batch": 1, "many segments": 60} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem(1)
			l := mustOpen(t, m, wal.WithSigningKey(strangerKey()))
			for range n {
				appendN(t, l, 3)
			}
			mustClose(t, l)
			was := contents(t, m)
			_, err := wal.Open(dir, small(m)...)
			foreign := wantForeign(t, m, was, err)
			if !foreign.Key.Equal(strangerKey().Public()) || !foreign.Own.Equal(publicKey()) || int(foreign.Seq) != 3*n {
				t.Errorf("%+v", foreign)
			}
			_, err = wal.Open(dir, wal.WithFS(m)) // without any key
			if foreign := wantForeign(t, m, was, err); foreign.Own != nil {
				t.Errorf("%+v", foreign)
			}
			if _, err := m.OpenFile(dir+".key", 0, 0); err == nil {
				t.Error("a key was made for a foreign log")
			}
		})
	}
}

// TestARecordBehindTheOwnSignatureIsForeign: appended by another key, with a right chain, to a log that was
// closed, killed, open here, or is being read.
func TestARecordBehindTheOwnSignatureIsForeign(t *testing.T) {
	m := vfs.NewMem(1)
	own := mustOpen(t, m)
	appendN(t, own, 5)
	stranger := mustOpen(t, m, wal.WithSigningKey(strangerKey()), wal.WithTrustedKey(publicKey()))
	appendN(t, stranger, 2)
	was := contents(t, m)
	if _, err := own.Append(t.Context(), record(8)); true {
		wantForeign(t, m, was, err)
	}
	if records, _, err := readAll(own, 0); len(records) != 5 {
		t.Errorf("%d records were read, %v", len(records), err)
	} else {
		wantForeign(t, m, was, err)
	}
	if _, err := own.RandomReader().Batch(6); true {
		wantForeign(t, m, was, err)
	}
	if records, _, err := readAll(own, 0); len(records) != 5 || err == nil {
		t.Errorf("%d records were read, %v", len(records), err)
	}
	mustClose(t, stranger)
	forget(t, m)
	_, err := wal.Open(dir, small(m)...)
	wantForeign(t, m, was, err)
	if _, err := wal.Verify(dir, publicKey(), small(m)...); err == nil || !strings.Contains(err.Error(), "record 7 is signed by an untrusted key") {
		t.Errorf("verify: %v", err)
	}
}

// TestATrimOfAStrangerIsRefused: what protects a resource may be in what was removed.
func TestATrimOfAStrangerIsRefused(t *testing.T) {
	m := vfs.NewMem(1)
	own := mustOpen(t, m)
	for range 40 {
		appendN(t, own, 3)
	}
	mustClose(t, own)
	tail := map[string][]byte{}
	names := segments(t, m)
	for _, name := range names {
		tail[name] = content(t, m, name)
	}
	stranger := mustOpen(t, m, wal.WithSigningKey(strangerKey()), wal.WithTrustedKey(publicKey()))
	if _, err := stranger.Trim(60); err != nil {
		t.Fatal(err)
	}
	mustClose(t, stranger)
	forget(t, m)
	_, err := wal.Open(dir, small(m)...)
	if foreign := wantForeign(t, m, nil, err); !foreign.Notice {
		t.Errorf("%+v", foreign)
	}
	_, err = wal.Open(dir, small(m, wal.ReadOnly(), wal.WithTrustedKey(publicKey()))...)
	wantForeign(t, m, nil, err)

	again := mustOpen(t, m, wal.WithTrustedKey(strangerKey().Public().(ed25519.PublicKey)))
	appendN(t, again, 1)
	mustClose(t, again)
	mustClose(t, mustOpen(t, m)) // the own key has signed the notice and the end
}

// TestATrustedKeyEndsALogOnce: what it signed stays readable, one by one too, under the own key that follows.
func TestATrustedKeyEndsALogOnce(t *testing.T) {
	m := vfs.NewMem(1)
	old := mustOpen(t, m, wal.WithSigningKey(strangerKey()))
	for range 40 {
		appendN(t, old, 3)
	}
	mustClose(t, old)
	taken := mustOpen(t, m, wal.WithTrustedKey(strangerKey().Public().(ed25519.PublicKey)))
	appendN(t, taken, 3)
	mustClose(t, taken)
	l := mustOpen(t, m)
	mustHold(t, l, 1, 123)
	p := l.RandomReader()
	for _, seq := range []wal.Seq{1, 60, 120, 121} {
		b, err := p.Batch(seq)
		if err == nil {
			err = checkRecords(b.Records, b.First)
		}
		if err != nil {
			t.Errorf("record %d: %v", seq, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	mustClose(t, l)
}

// TestAForgedBatchInTheMiddleIsFound by whoever reads it alone: its sums are right, and its signature is
// missing, or of another key.
func TestAForgedBatchInTheMiddleIsFound(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m, wal.WithSegmentSize(1<<20))
	for range 30 {
		appendN(t, l, 3)
	}
	mustClose(t, l)
	other := vfs.NewMem(2)
	for _, name := range append(segments(t, m), "lock") {
		if err := other.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		replace(t, other, name, content(t, m, name))
	}
	name := segments(t, m)[0]
	whole := content(t, m, name)
	at := frames(whole)
	cut := bytes.Clone(whole[:at[10]])
	replace(t, other, name, cut)
	forget(t, other)
	forger := mustOpen(t, other, wal.WithSegmentSize(1<<20), wal.WithSigningKey(strangerKey()), wal.WithTrustedKey(publicKey()))
	if _, err := forger.Append(t.Context(), record(31), record(32), []byte("adopted")); err != nil {
		t.Fatal(err)
	}
	mustClose(t, forger)
	forged := content(t, other, name)
	ends := frames(forged)
	replace(t, m, name, append(bytes.Clone(forged[:ends[11]]), whole[at[11]:]...))

	l, err := wal.Open(dir, small(m, wal.WithSegmentSize(1<<20))...)
	if err == nil {
		t.Error("the chain does not fit, and the log was opened")
		mustClose(t, l)
	}
	// In an older segment only who reads it finds it.
	m2 := vfs.NewMem(3)
	l = mustOpen(t, m2)
	for range 60 {
		appendN(t, l, 3)
	}
	mustClose(t, l)
	forgeSigned(t, m2)
	l = mustOpen(t, m2)
	if b, err := l.RandomReader().Batch(2); err == nil {
		t.Errorf("a forged batch was returned: %.40q", b.Records)
	}
	mustClose(t, l)
}

// forgeSigned replaces the first segment with one that a stranger made from its header on.
func forgeSigned(t *testing.T, m *vfs.Mem) {
	t.Helper()
	name := segments(t, m)[0]
	whole := content(t, m, name)
	other := vfs.NewMem(4)
	if err := other.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	replace(t, other, name, whole[:224])
	forger := mustOpen(t, other, wal.WithSigningKey(strangerKey()), wal.WithTrustedKey(publicKey()))
	for range 3 {
		if _, err := forger.Append(t.Context(), []byte("forged"), []byte("adopted"), []byte("forged")); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, forger)
	forged := content(t, other, path.Base(name))
	replace(t, m, name, forged)
}
