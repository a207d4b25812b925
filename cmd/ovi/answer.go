package main

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// answer is standard output, and remembers what became of it. A reader that went away, as
// `head` does, is no error and stops nothing: what is written for it is dropped. The first write
// that failed otherwise is kept, since most of those who write do not look, and the command ends
// with it.
type answer struct {
	w io.Writer

	mu     sync.Mutex
	unread bool // the reader went away
	lost   error
	spared func(error) // set: told of the first failure, which is none then
}

// errUnread ends what would go on writing for nobody; readOut makes it no error.
var errUnread = errors.New("nobody reads the output any more")

// Write writes, or drops what nobody reads.
func (a *answer) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unread {
		return len(b), nil
	}
	n, err := a.w.Write(b)
	switch {
	case err == nil:
		return n, nil
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
		a.lost = &problem{
			code: exitError, summary: "the output cannot be written", err: plain(err),
			next: "see where standard output goes, and that there is room",
		}
	}
	return n, a.lost
}

// spare lets nothing that is written fail any more; told hears of the first failure, once.
func (a *answer) spare(told func(error)) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spared = told
}

// failure is the first write that failed, or nil.
func (a *answer) failure() error {
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

// unheard says that nobody reads: what must be known is told elsewhere.
func (a *answer) unheard() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unread
}

// readOut is an error, unless it only says that the reader has had enough.
func readOut(err error) error {
	if errors.Is(err, errUnread) {
		return nil
	}
	return err
}

// read returns errUnread when nobody reads any more.
func (a *answer) read() error {
	if a.unheard() {
		return errUnread
	}
	return nil
}
