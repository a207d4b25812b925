package gitclone_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/internal/gitclone"
)

func TestWorkTree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	inner := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	check := func(folder, want string) {
		t.Helper()
		if got, err := gitclone.WorkTree(folder); got != want || err != nil {
			t.Errorf("WorkTree(%s) = %q, %v; want %q", folder, got, err, want)
		}
	}
	check(inner, "")
	if err := os.WriteFile(filepath.Join(top, ".git"), nil, 0o644); err != nil { // a file in a linked work tree
		t.Fatal(err)
	}
	check(inner, top)
	check(filepath.Join(inner, "absent"), top)
	if err := os.Mkdir(filepath.Join(top, "a", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	check(inner, filepath.Join(top, "a"))
	endless := filepath.Join(inner, "endless")
	if err := os.Symlink("endless", endless); err != nil {
		t.Fatal(err)
	}
	if got, err := gitclone.WorkTree(endless); err == nil { // root may read every other folder
		t.Errorf("WorkTree of a folder that cannot be read = %q; want an error", got)
	}
}
