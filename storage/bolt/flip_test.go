package bolt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// One flipped bit anywhere in the file is harmless or an error: never wrong data.
func TestAFlippedBitIsNeverSilentlyWrong(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	revs := populate(t, path)
	whole, err := os.ReadFile(path)
	must(t, err)
	truth := everything(path, revs)
	if strings.Contains(truth, "error") {
		t.Fatal(truth)
	}
	rng := rand.New(rand.NewPCG(3, 5))
	step := 401 // some 450 flips; OVI_TEST_FLIPS=0-200000/1 is all of them
	first, last := rng.IntN(step), len(whole)
	if part := os.Getenv("OVI_TEST_FLIPS"); part != "" { // "from-to/step": more of a part
		if _, err := fmt.Sscanf(part, "%d-%d/%d", &first, &last, &step); err != nil {
			t.Fatal(err)
		}
	}
	damaged := filepath.Join(dir, "damaged.db")
	must(t, os.WriteFile(damaged, whole, 0o600))
	file, err := os.OpenFile(damaged, os.O_RDWR, 0)
	must(t, err)
	defer file.Close()
	counts := map[string]int{}
	for at := first; at < min(last, len(whole)); at += step {
		_, err := file.WriteAt([]byte{whole[at] ^ 1<<rng.IntN(8)}, int64(at))
		must(t, err)
		got := everything(damaged, revs)
		switch {
		case got == truth:
			counts["harmless"]++
		case !strings.Contains(got, "error"):
			counts["silently wrong"]++
			t.Errorf("byte %d (page %d + %d): silently wrong", at, at/4096, at%4096)
		case !strings.Contains(got, "error: corrupt") && !strings.Contains(got, "error: foreign") && !strings.Contains(got, "error: newer"):
			counts["another error"]++
			t.Errorf("byte %d: %s", at, got[strings.Index(got, "error"):])
		default:
			counts["found"]++
			switch part := wrongPart(truth, got); {
			case part == "":
			case strings.HasPrefix(part, "range of some:") && strings.Contains(lineOf(got, "range of all:"), "error"):
				// A read of less than a group cannot add up; the scan of the group does.
				counts["found by the next scan"]++
			default:
				counts["silently wrong, in part"]++
				t.Errorf("byte %d (page %d + %d): silently wrong: %s", at, at/4096, at%4096, part)
			}
		}
		if now, _ := os.ReadFile(damaged); !bytes.Equal(now[:at], whole[:at]) || len(now) != len(whole) {
			must(t, os.WriteFile(damaged, whole, 0o600))
		}
		_, err = file.WriteAt(whole[at:at+1], int64(at))
		must(t, err)
	}
	t.Logf("of %d bytes, every %dth: %v", len(whole), step, counts)
}

// populate writes keys, versions, deletions and a claim, and leaves old pages in the file.
func populate(t *testing.T, path string) []storage.Revision {
	s := reopen(t, path)
	rng := rand.New(rand.NewPCG(7, 9))
	var revs []storage.Revision
	for i := range 24 {
		var tx storage.Tx
		for _, k := range rng.Perm(40)[:1+rng.IntN(12)] {
			op := storage.Op{Key: fmt.Sprintf("obs/%02d", k), Value: bytes.Repeat([]byte{byte(i)}, 100+rng.IntN(300))}
			op.Delete = rng.IntN(6) == 0
			tx.Ops = append(tx.Ops, op)
		}
		rev, err := s.Commit(t.Context(), tx)
		must(t, err)
		revs = append(revs, rev)
	}
	claimOnce(t, s)
	return revs[len(revs)/4:]
}

// everything reads all that a store has, as text: a line for each read, with its error.
func everything(path string, revs []storage.Revision) string {
	var out strings.Builder
	s, err := bolt.Open(path, bolt.WithTimeout(time.Minute))
	if err != nil {
		return describe(err)
	}
	ctx := context.Background()
	line := func(what string, seq iter.Seq2[storage.Entry, error], err error) {
		fmt.Fprintf(&out, "%s:", what)
		if err == nil {
			for e, e2 := range seq {
				if err = e2; err != nil {
					break
				}
				fmt.Fprintf(&out, " %s %d %d %v %x", e.Key, e.Created, e.Modified, e.Deleted, e.Value)
			}
		}
		if err != nil {
			io.WriteString(&out, describe(err))
		}
		out.WriteByte('\n')
	}
	for _, rev := range append([]storage.Revision{storage.Now}, revs...) {
		seq, _, err := s.Range(ctx, "obs/", rev)
		line(fmt.Sprintf("range at %d", rev), seq, err)
	}
	seq, _, err := s.Range(ctx, "", storage.Now)
	line("range of all", seq, err)
	seq, _, err = s.Range(ctx, "obs/1", storage.Now)
	line("range of some", seq, err)
	for k := range 40 {
		key := fmt.Sprintf("obs/%02d", k)
		line("history of "+key, s.History(ctx, key), nil)
	}
	line("changes", s.Changes(ctx, "", 0, storage.Now), nil)
	st, err := s.Stats(ctx)
	fmt.Fprintf(&out, "stats: %+v", st)
	if err != nil {
		io.WriteString(&out, describe(err))
	}
	return out.String()
}

func describe(err error) string {
	for name, kind := range map[string]error{"corrupt": storage.ErrCorrupt, "foreign": storage.ErrForeign, "newer": storage.ErrNewer} {
		if errors.Is(err, kind) {
			return "error: " + name
		}
	}
	return "error: " + err.Error()
}

// wrongPart names a line that differs from the truth without an error.
func wrongPart(truth, got string) string {
	want := strings.Split(truth, "\n")
	for i, line := range strings.Split(got, "\n") {
		if !strings.Contains(line, "error") && i < len(want) && line != want[i] {
			return line[:min(len(line), 60)]
		}
	}
	return ""
}

// A file in which bbolt cannot even begin must not stay locked by the one who tried.
func TestADamagedFileIsNotLeftLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	populate(t, path)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer file.Close()
	for page := range int64(2) { // both say where the list of free pages is
		var at [8]byte
		_, err := file.ReadAt(at[:], page*4096+16+32)
		must(t, err)
		_, err = file.WriteAt(bytes.Repeat([]byte{0xff}, 16), int64(binary.NativeEndian.Uint64(at[:]))*4096)
		must(t, err)
	}
	for range 3 {
		if _, err := bolt.Open(path, bolt.WithTimeout(time.Minute)); !errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrBusy) {
			t.Fatalf("got %v", err)
		}
	}
}

func lineOf(text, start string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, start) {
			return line
		}
	}
	return ""
}
