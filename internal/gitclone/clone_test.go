package gitclone_test

import (
	"os"
	"testing"

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
