//go:build unix

package datadir_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/datadir"
)

// own makes a data directory as ovi does.
func own(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".ovi")
	if err := os.MkdirAll(filepath.Join(dir, "wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wal.key", "wal/lock"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fetched makes a temporary file of git.
func fetched(dir string, mode os.FileMode) error { return packed(dir, "tmp_pack_x", mode) }

// packed makes a file beside the packs of a clone.
func packed(dir, name string, mode os.FileMode) error {
	pack := filepath.Join(dir, "git", "a", "objects", "pack")
	if err := os.MkdirAll(pack, 0o700); err != nil {
		return err
	}
	file := filepath.Join(pack, name)
	return errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(file, mode))
}

// TestADataDirectoryIsItsUsersOwn: links, special files, other owners and rights of others are
// found, each with the command that repairs it.
func TestADataDirectoryIsItsUsersOwn(t *testing.T) {
	for name, c := range map[string]struct {
		plant  func(dir string) error
		what   string // with DIR and the end of the path
		repair string
	}{
		"as made": {plant: func(string) error { return nil }},
		"a link to a file": {
			plant: func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "wal.key.tmp")) },
			what:  `DIR/wal.key.tmp is a link to "/etc/passwd"`, repair: "rm DIR/wal.key.tmp",
		},
		"a link that leads nowhere": {
			plant: func(dir string) error { return os.Symlink("../../x", filepath.Join(dir, "wal", "0001.log")) },
			what:  `DIR/wal/0001.log is a link to "../../x"`, repair: "rm DIR/wal/0001.log",
		},
		"a link to a folder inside": {
			plant: func(dir string) error { return os.Symlink("wal", filepath.Join(dir, "runs")) },
			what:  `DIR/runs is a link to "wal"`, repair: "rm DIR/runs",
		},
		"a pipe": {
			plant: func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "settings.json"), 0o600) },
			what:  "DIR/settings.json is neither a folder nor a file", repair: "rm DIR/settings.json",
		},
		"a key that others can read": {
			plant: func(dir string) error { return os.Chmod(filepath.Join(dir, "wal.key"), 0o644) },
			what:  "DIR/wal.key is open to other users (mode 0644)", repair: "chmod -R go-rwx DIR",
		},
		"a file that git is fetching":            {plant: func(dir string) error { return fetched(dir, 0o444) }},
		"a mark of a pack that git packed again": {plant: func(dir string) error { return packed(dir, "pack-x.promisor", 0o444) }},
		"a lock of git":                          {plant: func(dir string) error { return lock(dir, "git/a/config.lock", 0o644) }},
		"a lock of git that others can write": {
			plant: func(dir string) error { return lock(dir, "git/a/config.lock", 0o664) },
			what:  "DIR/git/a/config.lock is open to other users (mode 0664)", repair: "chmod -R go-rwx DIR",
		},
		"a lock elsewhere that others can read": {
			plant: func(dir string) error { return lock(dir, "wal/x.lock", 0o644) },
			what:  "DIR/wal/x.lock is open to other users (mode 0644)", repair: "chmod -R go-rwx DIR",
		},
		"a pack that others can read": {
			plant: func(dir string) error { return packed(dir, "pack-x.pack", 0o444) },
			what:  "DIR/git/a/objects/pack/pack-x.pack is open to other users (mode 0444)", repair: "chmod -R go-rwx DIR",
		},
		"a file in a clone that others can write": {
			plant: func(dir string) error { return fetched(dir, 0o464) },
			what:  "DIR/git/a/objects/pack/tmp_pack_x is open to other users (mode 0464)", repair: "chmod -R go-rwx DIR",
		},
		"a folder that others can enter": {
			plant: func(dir string) error { return os.Chmod(dir, 0o755) },
			what:  "DIR is open to other users (mode 0755)", repair: "chmod -R go-rwx DIR",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := own(t)
			if err := c.plant(dir); err != nil {
				t.Fatal(err)
			}
			err := datadir.Check(dir)
			var unsafe *datadir.UnsafeError
			if c.what == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.As(err, &unsafe) {
				t.Fatalf("got %v", err)
			}
			what := strings.ReplaceAll(unsafe.Error(), dir, "DIR")
			repairs := strings.ReplaceAll(strings.Join(unsafe.Repairs(), "; "), dir, "DIR")
			if what != c.what || repairs != c.repair {
				t.Errorf("got %q, %q\nwant %q, %q", what, repairs, c.what, c.repair)
			}
		})
	}
}

// TestAnotherUsersDataDirectory needs root, who alone can give files away.
func TestAnotherUsersDataDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := own(t)
	if err := os.Chown(filepath.Join(dir, "wal"), 54321, -1); err != nil {
		t.Fatal(err)
	}
	var unsafe *datadir.UnsafeError
	if err := datadir.Check(dir); !errors.As(err, &unsafe) || unsafe.Faults[0].What != "belongs to user 54321" ||
		unsafe.Faults[0].Repair != "sudo chown -R 0 "+dir {
		t.Errorf("got %v", err)
	}
}

// TestManyFaultsAreNotAllListed, and one command that repairs many is there once.
func TestManyFaultsAreNotAllListed(t *testing.T) {
	dir := own(t)
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, fmt.Sprint(i)), 0o664); err != nil {
			t.Fatal(err)
		}
	}
	var unsafe *datadir.UnsafeError
	if err := datadir.Check(dir); !errors.As(err, &unsafe) {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"chmod -R go-rwx " + dir}, unsafe.Repairs()); diff != "" || len(unsafe.Faults) != 5 || unsafe.More != 15 {
		t.Errorf("%d listed, %d more; repairs (-want +got):\n%s", len(unsafe.Faults), unsafe.More, diff)
	}
}

// TestADataDirectoryThatDoesNotExistIsNotWrong: it will be created.
func TestADataDirectoryThatDoesNotExistIsNotWrong(t *testing.T) {
	if err := datadir.Check(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Error(err)
	}
}

// TestRepairsAreSafeInAShell: a path with spaces or quotes is quoted.
func TestRepairsAreSafeInAShell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's; here")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x", filepath.Join(dir, "a b")); err != nil {
		t.Fatal(err)
	}
	var unsafe *datadir.UnsafeError
	if err := datadir.Check(dir); !errors.As(err, &unsafe) || !strings.HasSuffix(unsafe.Repairs()[0], `it'\''s; here/a b'`) {
		t.Errorf("got %v", err)
	}
}

// lock plants a file at a path of a data directory.
func lock(dir, name string, mode os.FileMode) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
