package gitclone_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/internal/datadir"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
)

// TestAFolderMayBeRelative: the data directory is .ovi by default.
func TestAFolderMayBeRelative(t *testing.T) {
	repo := gittest.New(t)
	commit := repo.Commit(map[string]string{"x": "one\n"})
	t.Chdir(t.TempDir())
	c := gitclone.Clone{Dir: "clone", Remote: "file://" + repo.Bare, Env: os.LookupEnv}
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Fetch(t.Context(), []string{"main:refs/ovi/fetched"}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Resolve(t.Context(), "refs/ovi/fetched"); err != nil || got != commit {
		t.Errorf("fetched %q: %v", got, err)
	}
	if _, err := os.Stat("clone/clone"); err == nil {
		t.Error("the clone is in a folder of its own name")
	}
}

// TestAPackedCloneIsItsUsersOwn: git makes the files that mark the packs of a partial clone readable for all when it packs
// them together, and a data directory with such a clone is opened again.
func TestAPackedCloneIsItsUsersOwn(t *testing.T) {
	repo := gittest.New(t)
	dir := filepath.Join(t.TempDir(), ".ovi")
	c := gitclone.Clone{Dir: filepath.Join(dir, "git", "a"), Remote: "file://" + repo.Bare, Env: os.LookupEnv}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one\n", "two\n"} {
		repo.Commit(map[string]string{"x": text})
		if err := c.Fetch(t.Context(), []string{"main:refs/ovi/fetched"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Git(t.Context(), "gc", "--quiet"); err != nil {
		t.Fatal(err)
	}
	if err := datadir.Check(dir); err != nil {
		t.Error(err)
	}
}
