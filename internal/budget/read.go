package budget

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// The limits of inputs. An honest answer has a small part of them.
const (
	Answer = 64 << 20 // of a server or a program, in full
	Text   = 1 << 20  // of a message, the log of a failure, a note
	Plan   = 256 << 20
)

// TooLargeError reports an input that ends behind its limit.
type TooLargeError struct {
	What  string
	Limit int64
}

func (e *TooLargeError) Error() string {
	if e.Limit < 1<<20 {
		return fmt.Sprintf("%s is larger than %d KiB", e.What, e.Limit>>10)
	}
	return fmt.Sprintf("%s is larger than %d MiB", e.What, e.Limit>>20)
}

// Unwrap makes it an error of a budget.
func (e *TooLargeError) Unwrap() error { return ErrSpent }

// Reader returns a reader that ends with a *TooLargeError if r has more than limit bytes. The name of the input
// is in its text.
func Reader(r io.Reader, what string, limit int64) io.Reader { return &reader{r, what, limit, limit} }

type reader struct {
	r           io.Reader
	what        string
	limit, left int64
}

func (b *reader) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one byte more tells whether the input ends there
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		return n, &TooLargeError{b.what, b.limit}
	}
	b.left -= int64(n)
	return n, err
}

// ReadAll reads an input of at most limit bytes.
func ReadAll(r io.Reader, what string, limit int64) ([]byte, error) {
	return io.ReadAll(Reader(r, what, limit))
}

// ReadFile reads a file of at most limit bytes. It does not wait for the other end of a pipe.
func ReadFile(name string, limit int64) (text []byte, err error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, &TooLargeError{"the file", limit}
	}
	return ReadAll(f, "the file", limit)
}

// Start returns the first bytes of a file; nil if it is shorter, or no file. A pipe is not read: its bytes would be
// gone, and it may have no writer.
func Start(name string, n int) []byte {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	start := make([]byte, n)
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if _, err := io.ReadFull(f, start); err != nil {
		return nil
	}
	return start
}

// KeyPair reads a certificate and its key from files of PEM blocks.
func KeyPair(cert, key string) (tls.Certificate, error) {
	certText, err := ReadFile(cert, Text)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyText, err := ReadFile(key, Text)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certText, keyText)
}

// Body bounds the body of an answer. Close closes the body.
func Body(body io.ReadCloser, what string, limit int64) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{Reader(body, what, limit), body}
}

// Buffer keeps at most Limit bytes that are written to it; a write of more fails with a *TooLargeError.
type Buffer struct {
	bytes.Buffer
	What  string
	Limit int64
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	if int64(b.Len()+len(p)) > b.Limit {
		return 0, &TooLargeError{b.What, b.Limit}
	}
	return b.Buffer.Write(p)
}

// Head keeps the first Limit bytes that are written to it, and drops the rest: the messages of a program.
type Head struct {
	bytes.Buffer
	Limit int
}

// Write implements io.Writer.
func (h *Head) Write(p []byte) (int, error) {
	_, _ = h.Buffer.Write(p[:min(len(p), max(h.Limit-h.Len(), 0))]) // a buffer takes everything
	return len(p), nil
}
