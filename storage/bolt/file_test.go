package bolt_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// E5: everything is there after the store was opened again.
func TestReopenKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := reopen(t, path)
	var revs []storage.Revision
	for i := range 10 {
		revs = append(revs, write(t, s, "a", fmt.Sprint(i)))
	}
	lease, err := s.Grant(t.Context(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "claim/a", Lease: lease}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, path)
	for i, rev := range revs {
		seq, _, err := s.Range(t.Context(), "a", rev)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range seq {
			if err != nil || string(e.Value) != fmt.Sprint(i) {
				t.Fatalf("revision %d: %q %v, want %d", rev, e.Value, err, i)
			}
		}
	}
	n := 0
	for range s.History(t.Context(), "a") {
		n++
	}
	if n != len(revs) {
		t.Fatalf("%d versions, want %d", n, len(revs))
	}
	for e, err := range s.History(t.Context(), "claim/a") {
		if err != nil || e.Created != token {
			t.Fatalf("the claim: %+v %v, want token %d", e, err, token)
		}
	}
}

func TestForeignAndNewerFilesAreRefusedByName(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	must(t, os.WriteFile(text, []byte(strings.Repeat("no store at all\n", 1000)), 0o600))
	other := filepath.Join(dir, "other.db")
	edit(t, other, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
	newer := filepath.Join(dir, "newer.db")
	must(t, reopen(t, newer).Close())
	edit(t, newer, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("state"), []byte("ovistore\x00\x02 in a form not known today"))
	})
	for path, want := range map[string]error{text: storage.ErrForeign, other: storage.ErrForeign, newer: storage.ErrNewer} {
		before, _ := os.ReadFile(path)
		_, err := bolt.Open(path)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %v and the name", path, err, want)
		}
		if after, _ := os.ReadFile(path); string(before) != string(after) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestAStoreHeldByAnotherIsBusyInTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := bolt.Open(path, bolt.WithTimeout(2*time.Second))
	must(t, err)
	write(t, s, "a", "1")
	held, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	defer held.Close()
	begun := time.Now()
	_, err = s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "a"}}})
	if !errors.Is(err, storage.ErrBusy) || !strings.Contains(err.Error(), path) {
		t.Fatalf("commit: %v", err)
	}
	if _, err = bolt.Open(path, bolt.WithTimeout(2*time.Second)); !errors.Is(err, storage.ErrBusy) {
		t.Fatalf("open: %v", err)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Fatalf("it took %s", took)
	}
}

// A store that was rebuilt elsewhere and moved to its place is taken up, not the old file
// that is still open.
func TestAReplacedFileIsTakenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := reopen(t, path)
	write(t, s, "a", "old")
	must(t, os.Rename(path, path+".old"))
	write(t, reopen(t, path), "a", "new")
	if got := read(t, s, "")["a"]; got != "new" {
		t.Fatalf("read %q from the old file", got)
	}
	write(t, s, "b", "more")
	if got := read(t, reopen(t, path+".old"), ""); len(got) != 1 {
		t.Fatalf("written to the old file: %v", got)
	}
}

// A handle that is kept must not write by a list of free pages that another has outdated.
func TestTwoHandlesInTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	a, b := reopen(t, path), reopen(t, path)
	want := map[string]string{}
	for i := range 200 {
		s := []storage.Store{a, b}[i*i/3%2]
		key := fmt.Sprintf("k%d", i%37)
		want[key] = strings.Repeat(fmt.Sprint(i), 100)
		write(t, s, key, want[key])
	}
	for _, s := range []storage.Store{a, b, reopen(t, path)} {
		if d := cmp.Diff(want, read(t, s, "")); d != "" {
			t.Fatal(d)
		}
	}
	check(t, path)
}

// check asks bbolt whether each page is used once or free.
func check(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Minute})
	must(t, err)
	defer db.Close()
	must(t, db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("bbolt finds: %v", err)
		}
		return nil
	}))
}

// A store that is deleted under a running process must not turn into an empty one.
func TestAVanishedStoreIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := reopen(t, path)
	write(t, s, "a", "1")
	must(t, os.Remove(path))
	_, err := s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: "b"}}})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "ovi audit replay --repair") {
		t.Fatalf("commit: %v", err)
	}
	if _, _, err := s.Range(t.Context(), "", storage.Now); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("range: %v", err)
	}
	if token := claimOnce(t, reopen(t, path)); token < storage.Revision(time.Now().Add(-time.Hour).UnixMicro()) {
		t.Fatalf("a new store begins its tokens at %d: they may have been given before", token)
	}
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	write(t, reopen(t, path), "a", "1")
	files, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	for _, f := range files {
		info, err := f.Info()
		must(t, err)
		if f.Name() != "store.db" || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
	}
}

// Leases outlive neither the boot that they were granted in nor a step of its clock.
func TestLeasesAreJudgedByTheBootsClock(t *testing.T) {
	boot, now := "first", 100*time.Hour
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := bolt.Open(path, bolt.WithClock(func() (string, time.Duration) { return boot, now }))
	must(t, err)
	claimOnce(t, s)
	boot, now = "second", 99*time.Hour
	if got := read(t, s, ""); len(got) != 0 {
		t.Fatalf("after a reboot: %v", got)
	}
	claimOnce(t, s)
	now = time.Minute // the clock started again, and the boot's name is the same
	write(t, s, "a", "1")
	now += 2 * time.Hour
	if got := read(t, s, "claim/"); len(got) != 0 {
		t.Fatalf("two hours after the clock restarted, a lease of one hour: %v", got)
	}
}

func claimOnce(t *testing.T, s storage.Store) storage.Revision {
	t.Helper()
	id, err := s.Grant(t.Context(), time.Hour)
	must(t, err)
	token, err := s.Commit(t.Context(), storage.Tx{
		Guards: []storage.Guard{{Key: "claim/a"}},
		Ops:    []storage.Op{{Key: "claim/a", Lease: id}},
	})
	must(t, err)
	return token
}

func reopen(t *testing.T, path string) storage.Store {
	t.Helper()
	s, err := bolt.Open(path)
	must(t, err)
	return s
}

func write(t *testing.T, s storage.Store, key, value string) storage.Revision {
	t.Helper()
	rev, err := s.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: []byte(value)}}})
	must(t, err)
	return rev
}

func read(t *testing.T, s storage.Store, prefix string) map[string]string {
	t.Helper()
	seq, _, err := s.Range(t.Context(), prefix, storage.Now)
	must(t, err)
	found := map[string]string{}
	for e, err := range seq {
		must(t, err)
		found[e.Key] = string(e.Value)
	}
	return found
}

func edit(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, errors.Join(db.Update(fn), db.Close()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// E11: twenty scans of 5,000 things that did not change add next to nothing.
func TestQuietScansAddLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := reopen(t, path)
	var tx storage.Tx
	for i := range 5000 {
		tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("thing/aws/us-east-1/ec2/i-%08d", i), Value: make([]byte, 600)})
	}
	_, err := s.Commit(t.Context(), tx)
	must(t, err)
	before, err := os.Stat(path)
	must(t, err)
	for i := range 20 {
		write(t, s, "scan/aws/us-east-1", fmt.Sprintf(`{"at":"2026-01-02T03:04:%02dZ","complete":true}`, i))
	}
	after, err := os.Stat(path)
	must(t, err)
	if added := after.Size() - before.Size(); added > 100_000 {
		t.Errorf("20 quiet scans added %d bytes to %d", added, before.Size())
	} else {
		t.Logf("20 quiet scans added %d bytes to %d", added, before.Size())
	}
}

// TestTheLeasesOfManyKeysEndAtOnce: the first write after a crash deletes them all, so that each page of leased keys is
// empty when the guards of that write are checked.
func TestTheLeasesOfManyKeysEndAtOnce(t *testing.T) {
	var now time.Duration
	s, err := bolt.Open(filepath.Join(t.TempDir(), "store.db"), bolt.WithClock(func() (string, time.Duration) { return "boot", now }))
	must(t, err)
	id, err := s.Grant(t.Context(), time.Minute)
	must(t, err)
	tx := storage.Tx{}
	for i := range 1000 {
		tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("claim/%04d", i), Value: []byte("who"), Lease: id})
	}
	_, err = s.Commit(t.Context(), tx)
	must(t, err)
	now = 2 * time.Minute
	next := storage.Tx{
		Guards: []storage.Guard{{Key: "z"}, {Key: "claim/0500"}, {Key: "a"}},
		Ops:    []storage.Op{{Key: "z", Value: []byte("1")}},
	}
	_, err = s.Commit(t.Context(), next)
	must(t, err)
	if got := read(t, s, ""); len(got) != 1 {
		t.Fatalf("after the leases ended: %v", got)
	}
}
