package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/source"
)

// TestReadFileEnds: no file is read beyond its limit, and no pipe is waited for.
func TestReadFileEnds(t *testing.T) {
	dir := t.TempDir()
	file, pipe, written := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "written")
	if err := os.WriteFile(file, []byte("123"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, written} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skip(err)
		}
	}
	w, err := os.OpenFile(written, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = w.WriteString("12345") // the reader stops after its limit
	}()
	t.Cleanup(func() { _ = w.Close() })
	for _, c := range []struct {
		name  string
		limit int64
		want  string
	}{
		{file, 3, ""},
		{file, 2, "larger than"},
		{"/dev/zero", 1 << 20, "larger than 1 MiB"},
		{pipe, 3, "a pipe"},
		{written, 4, "larger than"},
		{filepath.Join(dir, "none"), 3, "no such file"},
		{dir, 3, "directory"},
	} {
		text, err := source.ReadFile(nil, c.name, c.limit)
		switch {
		case c.want == "" && (err != nil || string(text) != "123"):
			t.Errorf("%s: %q, %v", c.name, text, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s with a limit of %d: %v, want %s", c.name, c.limit, err, c.want)
		}
	}
}
