// Package heldby checks tables of what once went wrong, or would, and the tests that hold it.
package heldby

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Row is a finding and its tests: "folder.Test" from the root of the repository, where the
// test is in the folder or below it, or the name of a script of
// cmd/ovi. One without tests is not solved, and Why says why.
type Row struct {
	Name, What string
	Tests      []string
	Why        string
}

// Check fails for each test that does not exist, and for each row that has neither a test nor a reason. root is the
// path
// to the root of the repository.
func Check(t *testing.T, root string, rows []Row) {
	t.Helper()
	for _, r := range rows {
		if len(r.Tests) == 0 && r.Why == "" {
			t.Errorf("%s (%s) has neither a test nor a reason", r.Name, r.What)
		}
		for _, name := range r.Tests {
			pkg, test, isTest := strings.Cut(name, ".")
			if !isTest {
				if _, err := os.Stat(filepath.Join(root, "cmd/ovi/testdata/script", name+".txtar")); err != nil {
					t.Errorf("%s (%s): %v", r.Name, r.What, err)
				}
				continue
			}
			if !declared(t, filepath.Join(root, pkg), test) {
				t.Errorf("%s (%s): package %s has no %s", r.Name, r.What, pkg, test)
			}
		}
	}
}

// declared reports whether a test file of a folder, or of a folder in it, has a test.
func declared(t *testing.T, dir, test string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		found = found || strings.Contains(string(text), "func "+test+"(t *testing.T)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
