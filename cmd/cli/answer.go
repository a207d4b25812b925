package cli

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"

	"github.com/ovi-project/ovi/render/term"
)

// Screen is standard error, without characters that change a terminal.
type Screen struct {
	W io.Writer

	mu    sync.Mutex
	clean *term.Cleaner
}

// Write implements io.Writer.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean = cleaner(s.clean, s.W)
	if _, err := s.W.Write(s.clean.Clean(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// cleaner returns the cleaner of a stream, a new one if there is none yet.
func cleaner(c *term.Cleaner, stream io.Writer) *term.Cleaner {
	if c == nil {
		_, terminal := Columns(stream)
		c = &term.Cleaner{Drawn: terminal}
	}
	return c
}

// Answer is standard output, cleaned as a Screen, and remembers what became of it. A reader that exits, as `head` does,
// is no error and stops nothing: the rest is dropped. The first write that fails otherwise is kept,
// because most callers do not check, and the command ends with it.
type Answer struct {
	W io.Writer

	mu     sync.Mutex
	unread bool // the reader exited
	lost   error
	spared func(error) // set: receives the first failure, which is no error then
	clean  *term.Cleaner
	asIs   bool // a file or another program gets a document
}

// Document lets a document pass unchanged to a file or another program. A terminal gets none unchanged.
func (a *Answer) Document() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, terminal := Columns(a.W)
	a.asIs = !terminal
}

// ErrUnread ends a command that would go on writing for a reader that exited.
var ErrUnread = errors.New("the reader of the output exited")

// Write writes, or drops what has no reader.
func (a *Answer) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unread {
		return len(b), nil
	}
	text := b
	if !a.asIs {
		a.clean = cleaner(a.clean, a.W)
		text = a.clean.Clean(b)
	}
	n, err := a.W.Write(text)
	switch {
	case err == nil:
		return len(b), nil
	case a.spared != nil:
		if a.lost == nil {
			a.lost = err
			a.spared(err)
		}
		return len(b), nil
	case errors.Is(err, syscall.EPIPE):
		a.unread = true
		return len(b), nil
	case a.lost == nil:
		a.lost = &Problem{
			Summary: "cannot write the output", Err: Plain(err),
			Suggestion: "check where standard output goes, and that there is space",
		}
	}
	return n, a.lost
}

// Spare makes failed writes harmless; report receives the first one.
func (a *Answer) Spare(report func(error)) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spared = report
}

// Failure is the first write that failed, or nil.
func (a *Answer) Failure() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.spared != nil {
		return nil
	}
	return a.lost
}

// Unread reports whether the reader exited: what must be known goes elsewhere.
func (a *Answer) Unread() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unread
}

// Reading is ErrUnread once the reader exited, else nil.
func (a *Answer) Reading() error {
	if a.Unread() {
		return ErrUnread
	}
	return nil
}

// IgnoreUnread is the error, unless it is ErrUnread.
func IgnoreUnread(err error) error {
	if errors.Is(err, ErrUnread) {
		return nil
	}
	return err
}

// Plain removes the path from an error of the file system; the file is reported beside it.
func Plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
