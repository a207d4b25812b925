package wal_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

// content reads a file of a file system.
func content(t testing.TB, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.OpenFile(path.Join(dir, name), os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, _ := f.Size()
	b := make([]byte, size)
	if n, _ := f.ReadAt(b, 0); n != len(b) {
		t.Fatalf("%s: read %d of %d bytes", name, n, len(b))
	}
	return b
}

// replace makes a file hold just these bytes.
func replace(t testing.TB, fs vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fs.OpenFile(path.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.WriteAt(b, 0)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// segments returns the names of the segments in order.
func segments(t testing.TB, fs vfs.FS) []string {
	t.Helper()
	names, err := fs.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".wal") })
}

// forget removes the lock file, and with it the tail hint.
func forget(t testing.TB, fs vfs.FS) {
	t.Helper()
	if err := fs.Remove(path.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
}

// filled returns a closed log of n one-record batches and its end.
func filled(t testing.TB, n int, more ...wal.Option) (*vfs.Mem, wal.Frontier) {
	t.Helper()
	m := vfs.NewMem(1)
	l := mustOpen(t, m, more...)
	for range n {
		appendN(t, l, 1)
	}
	mustClose(t, l)
	return m, l.Frontier()
}

// found asserts that every reader of the log reports the damage or returns what
// was written.
func found(t testing.TB, fs vfs.FS, end wal.Frontier, what string) {
	t.Helper()
	_, err := wal.Verify(dir, publicKey(), small(fs, wal.WithFrontier(end.Seq, end.Chain))...)
	if err == nil {
		t.Fatalf("%s: Verify found nothing", what)
	}
	wantCorrupt(t, err)
	l, err := wal.Open(dir, small(fs, wal.ReadOnly(), wal.WithFrontier(end.Seq, end.Chain))...)
	if err != nil {
		return
	}
	records, first, err := readAll(l, 0)
	if first != 0 {
		if err := checkRecords(records, first); err != nil {
			t.Fatalf("%s: silently wrong: %v", what, err)
		}
	}
	if err == nil && first+wal.Seq(len(records)) != end.Seq+1 {
		t.Fatalf("%s: silently lost all behind record %d", what, int(first)+len(records)-1)
	}
}

// TestSingleBitFlips flips bits all over a log of 1,000 records, one at a time:
// each one is found, but for those in the zeros behind the end, which are cut.
// OVI_WAL_EVERY_BYTE=1 has every byte changed, which takes some minutes.
func TestSingleBitFlips(t *testing.T) {
	m, end := filled(t, 1000, wal.WithSegmentSize(64<<10))
	forget(t, m)
	flips, harmless := 0, 0
	for _, name := range segments(t, m) {
		whole := content(t, m, name)
		f, err := m.OpenFile(path.Join(dir, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		step := 997 // a prime: every bit of a header comes up somewhere
		if os.Getenv("OVI_WAL_EVERY_BYTE") != "" {
			step = 9
		}
		for bit := 0; bit < len(whole)*8; bit += step {
			b := whole[bit/8] ^ 1<<(bit%8)
			if _, err := f.WriteAt([]byte{b}, int64(bit/8)); err != nil {
				t.Fatal(err)
			}
			flips++
			r, err := wal.Verify(dir, publicKey(), small(m, wal.WithFrontier(end.Seq, end.Chain))...)
			if err == nil && (r.Torn == nil || r.Last != end.Seq || r.Chain != end.Chain) {
				t.Fatalf("%s: bit %d of byte %d: not found", name, bit%8, bit/8)
			}
			if err == nil {
				harmless++
			} else {
				wantCorrupt(t, err)
			}
			if _, err := f.WriteAt(whole[bit/8:][:1], int64(bit/8)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d flips: %d in the zeros behind the end, all others found", flips, harmless)
}

// frames returns where the frames of a segment begin, and its end.
func frames(b []byte) []int {
	starts := []int{224}
	for at := 224; at+48 <= len(b) && b[at] != 0; {
		stored := int(uint32(b[at+32]) | uint32(b[at+33])<<8 | uint32(b[at+34])<<16)
		at += 48 + (stored+7)/8*8 + 96 + 32
		starts = append(starts, at)
	}
	return starts
}

// TestDroppedAndSwapped removes each batch, and swaps each with the next.
func TestDroppedAndSwapped(t *testing.T) {
	m, end := filled(t, 100)
	forget(t, m)
	for _, name := range segments(t, m) {
		whole := content(t, m, name)
		at := frames(whole)
		for i := range len(at) - 1 {
			dropped := slices.Concat(whole[:at[i]], whole[at[i+1]:])
			replace(t, m, name, dropped)
			found(t, m, end, name+": a batch dropped")
			if i+2 < len(at) {
				swapped := slices.Concat(whole[:at[i]], whole[at[i+1]:at[i+2]], whole[at[i]:at[i+1]], whole[at[i+2]:])
				replace(t, m, name, swapped)
				found(t, m, end, name+": two batches swapped")
			}
			twice := slices.Concat(whole[:at[i+1]], whole[at[i]:at[i+1]], whole[at[i+1]:])
			replace(t, m, name, twice)
			if i+2 < len(at) {
				found(t, m, end, name+": a batch doubled")
			}
		}
		replace(t, m, name, whole)
	}
}

// TestWrongSegments removes, swaps and replaces whole segments.
func TestWrongSegments(t *testing.T) {
	m, end := filled(t, 100)
	other, _ := filled(t, 100)
	forget(t, m)
	names := segments(t, m)
	if len(names) < 4 {
		t.Fatalf("only %d segments", len(names))
	}
	for i, name := range names {
		whole := content(t, m, name)
		if err := m.Remove(path.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		found(t, m, end, name+": removed")
		replace(t, m, name, content(t, other, name))
		found(t, m, end, name+": of another log")
		if i+1 < len(names) {
			next := content(t, m, names[i+1])
			replace(t, m, name, next)
			replace(t, m, names[i+1], whole)
			found(t, m, end, name+": swapped with the next")
			replace(t, m, names[i+1], next)
		}
		replace(t, m, name, whole[:100])
		found(t, m, end, name+": cut in its header")
		replace(t, m, name, whole)
	}
}

// TestCutTail cuts the log behind every batch: a checkpoint kept elsewhere, the
// frontier, and the lock file each find it.
func TestCutTail(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m, wal.WithSegmentSize(1<<20))
	for range 20 {
		appendN(t, l, 2)
	}
	checkpoint, err := l.Anchor()
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, l)
	name := segments(t, m)[0]
	whole, lock := content(t, m, name), content(t, m, "lock")
	for _, at := range frames(whole)[:20] {
		replace(t, m, name, whole[:at])
		_, err := wal.Verify(dir, publicKey(), small(m)...)
		if got := wantCorrupt(t, err); !strings.Contains(got.Reason, "lock file") {
			t.Fatalf("cut at %d: %v", at, err)
		}
		_, err = wal.Open(dir, small(m)...)
		wantCorrupt(t, err)
		forget(t, m)
		if _, err := wal.Verify(dir, publicKey(), small(m)...); err != nil {
			t.Fatalf("cut at %d: %v; want nothing, without anything to hold it against", at, err)
		}
		_, err = wal.Verify(dir, publicKey(), small(m, wal.WithAnchor(checkpoint))...)
		if got := wantCorrupt(t, err); got.Offset != int64(at) {
			t.Fatalf("cut at %d: %v", at, err)
		}
		end := l.Frontier()
		_, err = wal.Open(dir, small(m, wal.WithFrontier(end.Seq, end.Chain))...)
		wantCorrupt(t, err)
		replace(t, m, "lock", lock)
	}
}

// TestDamageInTheLastRecord must not pass for a torn append, since the lock file
// says that it was acknowledged.
func TestDamageInTheLastRecord(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	b := appendN(t, l, 3)
	name := segments(t, m)[0]
	killed := m.Kill()
	whole := content(t, killed, name)
	at := bytes.Index(whole, record(3))
	whole[at] ^= 1
	replace(t, killed, name, whole)
	_, err := wal.Open(dir, small(killed)...)
	if got := wantCorrupt(t, err); got.Seq != b.First || got.Segment != name || got.Offset != 224 {
		t.Fatalf("got %v, want %s offset 224, record %d", err, name, b.First)
	}
}

// TestForgedWithAnotherKey: a log that was rewritten from the start is valid,
// but it is not signed by the key that is trusted.
func TestForgedWithAnotherKey(t *testing.T) {
	forger := ed25519.NewKeyFromSeed(bytes.Repeat([]byte("f"), 32))
	m, _ := filled(t, 30, wal.WithSigningKey(forger))
	if r, err := wal.Verify(dir, nil, small(m)...); err != nil || len(r.Keys) != 1 || !r.Keys[0].Equal(forger.Public()) {
		t.Fatalf("without a key: %v, keys %v", err, r.Keys)
	}
	_, err := wal.Verify(dir, publicKey(), small(m)...)
	if got := wantCorrupt(t, err); !strings.Contains(got.Reason, "untrusted key") {
		t.Fatalf("got %v", err)
	}
}

// TestTornTail cuts the last append at every byte: it is removed and reported,
// all before it stays, and the log goes on.
func TestTornTail(t *testing.T) {
	for _, n := range []int{1, 5, 60} {
		m := vfs.NewMem(1)
		l := mustOpen(t, m, wal.WithSegmentSize(1<<20), wal.WithPrefill(0))
		appendN(t, l, 4)
		m.OnOp(func(op vfs.Op) error {
			if op.Kind == "sync" {
				return vfs.ErrStopped
			}
			return nil
		})
		if _, err := l.Append(context.Background(), recordsFrom(5, n)...); err == nil {
			t.Fatal("the append was acknowledged")
		}
		unsynced := m.Unsynced(path.Join(dir, "000000000001.wal"))
		if unsynced < 80 {
			t.Fatalf("only %d bytes in flight", unsynced)
		}
		for cut := range unsynced {
			left := m.CrashAfter(cut)
			again := mustOpen(t, left)
			tear := again.TornWrite()
			if cut > 0 && (tear == nil || !strings.Contains(tear.String(), "000000000001.wal")) {
				t.Fatalf("cut at %d of %d: reported %v", cut, unsynced, tear)
			}
			mustHold(t, again, 1, 4)
			appendN(t, again, 2)
			mustHold(t, again, 1, 6)
			mustClose(t, again)
		}
	}
}
