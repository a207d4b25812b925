package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// TestTheLastErrorsAreKept: of each resource the last one, of all resources the newest hundred, and of a long text its
// end, in files that their user alone can read.
func TestTheLastErrorsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ref := func(n int) resource.Ref {
		return resource.Ref{Stack: "web", Provider: "aws", Location: "1/eu", Kind: "rds", Name: fmt.Sprint("db-", n)}
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := range mostKept + 5 {
		if err := keepError(dir, KeptError{Ref: ref(n), At: start, Text: "first"}); err != nil {
			t.Fatal(err)
		}
		at := start.Add(time.Duration(n) * time.Second)
		if err := os.Chtimes(keptName(dir, ref(n)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("\x01", 2*keptBytes) + "the end"
	if err := keepError(dir, KeptError{Ref: ref(mostKept), At: start, Text: long}); err != nil {
		t.Fatal(err)
	}
	e, is, err := ReadKeptError(dir, ref(mostKept))
	if err != nil || !is || !strings.HasSuffix(e.Text, "the end") || len(e.Text) > keptBytes+10 || !e.At.Equal(start) {
		t.Errorf("the last error is %d bytes: %v, %v", len(e.Text), is, err)
	}
	if _, is, err := ReadKeptError(dir, ref(0)); err != nil || is {
		t.Errorf("the oldest is kept: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, keptErrors, "*"))
	if err != nil || len(files) != mostKept {
		t.Errorf("%d files are kept: %v", len(files), err)
	}
	for _, name := range append(files, filepath.Join(dir, keptErrors)) {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
