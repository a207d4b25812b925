package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// TestAShownErrorIsPassedOnOnce: a note stays until it is recorded.
func TestAShownErrorIsPassedOnOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ref := resource.Ref{Stack: "berlin", Provider: "edge", Location: "berlin/n1", Kind: "deployment", Name: "web"}
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	c := &Call{Process: &Process{}}
	c.Process.Now = func() time.Time { return at.Add(time.Hour) }
	c.Process.Env = func(name string) (string, bool) { return "ann", name == "OVI_USER" }
	if ErrorsAlone(dir) {
		t.Error("an empty folder is that of a node")
	}
	if err := keepError(dir, KeptError{Ref: ref, At: at, Text: "whole"}); err != nil {
		t.Fatal(err)
	}
	if !ErrorsAlone(dir) {
		t.Error("a folder with errors alone is not that of a node")
	}
	for _, spelling := range []string{"web", ref.Short(), ref.String()} {
		e, is, err := FindKeptError(dir, spelling)
		if err != nil || !is || e.Text != "whole" {
			t.Errorf("%s: %+v, %v, %v", spelling, e, is, err)
		}
	}
	if _, is, err := FindKeptError(dir, "we"); is || err != nil {
		t.Errorf("another name: %v, %v", is, err)
	}
	if err := c.NoteShown(dir, KeptError{Ref: ref, At: at}); err != nil {
		t.Fatal(err)
	}
	var texts []string
	full := errors.New("no space left")
	if err := TakeShown(dir, func(time.Time, string) error { return full }); !errors.Is(err, full) {
		t.Errorf("a note that cannot be recorded: %v", err)
	}
	for range 2 {
		if err := TakeShown(dir, func(_ time.Time, text string) error { texts = append(texts, text); return nil }); err != nil {
			t.Error(err)
		}
	}
	if len(texts) != 1 || !strings.Contains(texts[0], "ann read the whole error of web") {
		t.Errorf("passed on: %q", texts)
	}
	if err := os.Mkdir(filepath.Join(dir, "wal"), 0o700); err != nil || ErrorsAlone(dir) {
		t.Errorf("a data directory with a log is that of a node (%v)", err)
	}
}
