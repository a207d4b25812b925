package budget_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/ovi-project/ovi/internal/budget"
)

// endless never ends.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

// TestAnInputEndsAtItsLimit: all of an input at the limit is read, and of a longer or an endless one no more than that.
func TestAnInputEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	var large *budget.TooLargeError
	for n, want := range map[int]bool{0: true, 9: true, 10: true, 11: false, 5000: false} {
		for _, r := range []io.Reader{strings.NewReader(strings.Repeat("x", n)), iotest.OneByteReader(strings.NewReader(strings.Repeat("x", n)))} {
			b, err := budget.ReadAll(r, "the answer", 10)
			if (err == nil) != want || want && len(b) != n || len(b) > 10 || !want && (!errors.As(err, &large) || !errors.Is(err, budget.ErrSpent)) {
				t.Errorf("of %d bytes: %d, %v", n, len(b), err)
			}
		}
	}
	source := &endless{}
	if _, err := budget.ReadAll(source, "the answer", budget.Text); err == nil || err.Error() != "the answer is larger than 1 MiB" || source.read > 2*budget.Text {
		t.Errorf("after %d bytes: %v", source.read, err)
	}
	if _, err := budget.ReadAll(iotest.ErrReader(io.ErrUnexpectedEOF), "x", 1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error of the input is lost: %v", err)
	}
}

// TestAFileEndsAtItsLimit: also a sparse one, a device that never ends and a pipe that nothing writes to.
func TestAFileEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sparse, pipe := filepath.Join(dir, "sparse"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(sparse, nil, 0o600), os.Truncate(sparse, 1<<40), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{sparse, "/dev/zero"} {
		if _, err := budget.ReadFile(name, budget.Text); !errors.Is(err, budget.ErrSpent) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b, _ := budget.ReadFile(pipe, budget.Text); len(b) > 0 {
		t.Error("the pipe has something")
	}
}

// TestWhatAProgramPrintsEndsAtItsLimit: its result fails, its messages are cut.
func TestWhatAProgramPrintsEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	b := &budget.Buffer{What: "the output of git", Limit: 10}
	if _, err := b.Write([]byte("0123456789")); err != nil {
		t.Error(err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, budget.ErrSpent) || b.Len() != 10 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
	h := &budget.Head{Limit: 10}
	for range 3 {
		if n, err := h.Write([]byte("0123456")); n != 7 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if h.String() != "0123456012" {
		t.Errorf("%q", h.String())
	}
}
