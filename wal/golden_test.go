package wal_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/wal"
)

var update = flag.Bool("update", false, "rewrite the golden log (only for a new format)")

// goldenDir holds a log that format 1 wrote; it must stay readable.
const goldenDir = "testdata/v1"

// goldenEnd is where it ends.
const goldenEnd = "0324f0a785096f4aa90d5e59894a617b0d2648f34d291486ba33cf21528ffa31"

func TestGoldenLog(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	l, err := wal.Open(goldenDir, wal.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	mustHold(t, l, goldenFirst, goldenLast)
	r, err := wal.Verify(goldenDir, publicKey())
	if err != nil {
		t.Fatal(err)
	}
	if r.Chain.String() != goldenEnd || r.Segments != 2 || r.Signed != goldenLast {
		t.Errorf("report %+v", r)
	}
	for b := range l.Read(goldenLast) {
		if want := time.Unix(1_795_000_000, 250).UTC(); b.Meta != 7 || !b.At.Equal(want) {
			t.Errorf("last batch: meta %d at %v", b.Meta, b.At)
		}
	}
}

const (
	goldenFirst = 33
	goldenLast  = 80
)

// writeGolden makes a log with a trimmed beginning, batches with and without
// compression, checkpoints and seals.
func writeGolden(t *testing.T) {
	m := vfs.NewMem(1)
	l := mustOpen(t, m)
	appendN(t, l, 20)
	for l.Frontier().Seq < goldenLast-21 {
		appendN(t, l, min(4, int(goldenLast-21-l.Frontier().Seq)))
	}
	for l.Frontier().Seq < goldenLast-1 {
		appendN(t, l, 20)
	}
	lock, err := l.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = lock.AppendBatch(wal.Draft{Meta: 7, At: time.Unix(1_795_000_000, 250), Records: recordsFrom(goldenLast, 1)})
	if err := errors.Join(err, lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Trim(goldenLast / 2); err != nil {
		t.Fatal(err)
	}
	mustClose(t, l)
	for _, name := range append(segments(t, m), "trimmed") {
		if err := os.WriteFile(filepath.Join(goldenDir, name), content(t, m, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
