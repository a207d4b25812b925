package vfs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/vfs"
)

const rw = os.O_RDWR | os.O_CREATE

func open(t testing.TB, fsys vfs.FS, name string) vfs.File {
	t.Helper()
	f, err := fsys.OpenFile(name, rw, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t testing.TB, f vfs.File, s string, at int64) {
	t.Helper()
	if _, err := f.WriteAt([]byte(s), at); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, fsys vfs.FS, name string) string {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && size > 0 {
		t.Fatal(err)
	}
	return string(b)
}

// TestConformance runs the same tests on the real file system and the one in memory.
func TestConformance(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"OS": vfs.OS(), "Mem": vfs.NewMem(1)} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "a", "b")
			if err := errors.Join(fsys.MkdirAll(root, 0o700), fsys.MkdirAll(root, 0o700)); err != nil {
				t.Fatal(err)
			}
			one, two := filepath.Join(root, "one"), filepath.Join(root, "two")
			f := open(t, fsys, one)
			write(t, f, "hello", 3)
			if err := errors.Join(f.Truncate(6), f.Sync(), f.Truncate(8)); err != nil {
				t.Fatal(err)
			}
			if got := content(t, fsys, one); got != "\x00\x00\x00hel\x00\x00" {
				t.Errorf("content %q", got)
			}
			if err := errors.Join(fsys.Rename(one, two), fsys.SyncDir(root)); err != nil {
				t.Fatal(err)
			}
			info, err := fsys.Stat(two)
			if err != nil || info.Size() != 8 || info.Mode().Perm() != 0o600 {
				t.Errorf("stat: %v, %v", info, err)
			}
			open(t, fsys, one)
			names, err := fsys.ReadDir(root)
			if d := cmp.Diff([]string{"one", "two"}, names); d != "" || err != nil {
				t.Errorf("names: %s %v", d, err)
			}
			if err := fsys.Remove(two); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 3)
			if _, err := f.ReadAt(b, 3); err != nil || string(b) != "hel" {
				t.Errorf("a removed file that is open: %q, %v", b, err)
			}
			testAbsent(t, fsys, two)
			testLock(t, fsys, one)
		})
	}
}

func testAbsent(t *testing.T, fsys vfs.FS, name string) {
	_, openErr := fsys.OpenFile(name, os.O_RDWR, 0)
	_, statErr := fsys.Stat(name)
	_, dirErr := fsys.ReadDir(name)
	for i, err := range []error{openErr, statErr, dirErr, fsys.Remove(name), fsys.Rename(name, name+"x")} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d: %v, want ErrNotExist", i, err)
		}
	}
}

func testLock(t *testing.T, fsys vfs.FS, name string) {
	a, b := open(t, fsys, name), open(t, fsys, name)
	want := func(f vfs.File, want bool) {
		t.Helper()
		if got, err := f.TryLock(); got != want || err != nil {
			t.Errorf("lock: %v, %v; want %v", got, err, want)
		}
	}
	want(a, true)
	want(b, false)
	if err := a.Unlock(); err != nil {
		t.Error(err)
	}
	want(b, true)
	want(a, false)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	want(a, true)
}

// TestCrashKeepsWhatWasSynced: every draw keeps what was synced, and many draws show every kind
// of loss.
func TestCrashKeepsWhatWasSynced(t *testing.T) {
	m := vfs.NewMem(1)
	f := open(t, m, "kept")
	write(t, f, string(bytes.Repeat([]byte("s"), 1024)), 0)
	if err := errors.Join(f.Sync(), m.SyncDir(".")); err != nil {
		t.Fatal(err)
	}
	write(t, f, string(bytes.Repeat([]byte("n"), 2048)), 512)
	open(t, m, "new")
	saw := map[string]bool{}
	for seed := range uint64(300) {
		left := m.Crash(rand.New(rand.NewPCG(seed, 1)))
		got := content(t, left, "kept")
		if got[:512] != string(bytes.Repeat([]byte("s"), 512)) {
			t.Fatalf("seed %d lost what was synced", seed)
		}
		second := got[512:1024]
		saw["old"] = saw["old"] || second == string(bytes.Repeat([]byte("s"), 512))
		saw["written"] = saw["written"] || second == string(bytes.Repeat([]byte("n"), 512))
		saw["torn"] = saw["torn"] || second[0] == 'n' && second[511] == 's'
		saw["short"] = saw["short"] || len(got) == 1024
		saw["hole"] = saw["hole"] || len(got) == 2560 && got[1024] == 0
		saw["rubbish"] = saw["rubbish"] || len(got) == 2560 && got[1024] != 0 && got[1024] != 'n'
		saw["no name"] = saw["no name"] || content(t, left, "new") == "(none)"
		saw["name"] = saw["name"] || content(t, left, "new") == ""
	}
	for _, kind := range []string{"old", "written", "torn", "short", "hole", "rubbish", "no name", "name"} {
		if !saw[kind] {
			t.Errorf("never saw: %s", kind)
		}
	}
	if got := content(t, m.CrashAfter(700), "kept"); len(got) != 1212 || got[1211] != 'n' {
		t.Errorf("after 700 bytes the file has %d", len(got))
	}
}

// TestFailedSyncIsNotRepaired: a later sync that succeeds proves nothing about what was written
// before the one that failed.
func TestFailedSyncIsNotRepaired(t *testing.T) {
	lost := 0
	for seed := range uint64(50) {
		m := vfs.NewMem(seed)
		f := open(t, m, "f")
		if err := m.SyncDir("."); err != nil {
			t.Fatal(err)
		}
		write(t, f, "abc", 0)
		m.OnOp(func(op vfs.Op) error {
			if op.Kind == "sync" {
				return syscall.EIO
			}
			return nil
		})
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		m.OnOp(nil)
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		if content(t, m, "f") != "abc" {
			t.Fatal("the program sees another content than it wrote")
		}
		if content(t, m.Crash(rand.New(rand.NewPCG(seed, 2))), "f") != "abc" {
			lost++
		}
	}
	if lost == 0 {
		t.Error("nothing was ever lost")
	}
}

func TestFullDiskAndKill(t *testing.T) {
	m := vfs.NewMem(1)
	f := open(t, m, "f")
	m.Limit(4)
	if n, err := f.WriteAt([]byte("abcdef"), 0); n != 4 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d, %v", n, err)
	}
	m.Limit(100)
	if ok, err := f.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	next := m.Kill()
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, vfs.ErrStopped) {
		t.Errorf("a dead process wrote: %v", err)
	}
	g := open(t, next, "f")
	if ok, err := g.TryLock(); !ok || err != nil {
		t.Errorf("the lock of a dead process: %v, %v", ok, err)
	}
	if got := content(t, next, "f"); got != "abcd" {
		t.Errorf("content %q", got)
	}
	if next.Unsynced("f") != 4 {
		t.Errorf("%d bytes unsynced, want 4", next.Unsynced("f"))
	}
}
