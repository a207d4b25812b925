package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// MaxText bounds the size of a template, a file of values, a deployment of a site and a Compose file. MaxFile bounds
// the size of any other file.
const (
	MaxText = 4 << 20
	MaxFile = 64 << 20
)

// LargeError is returned for a file that is larger than its limit.
type LargeError struct{ Limit int64 }

func (e *LargeError) Error() string { return fmt.Sprintf("it is larger than %d MiB", e.Limit>>20) }

// errEmptyPipe is returned for a pipe without a writer. An archive can contain such a pipe, and ovi would wait for a
// writer without end.
var errEmptyPipe = errors.New("it is a pipe, and nothing was written to it")

// Open opens a file for reading, without waiting for the other end of a pipe. Without files it opens a file of the
// operating system.
func Open(files fs.FS, name string) (fs.File, error) {
	if files != nil {
		return files.Open(path.Clean(filepath.ToSlash(name)))
	}
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// Copy copies an open file of at most limit bytes.
func Copy(to io.Writer, f fs.File, limit int64) error {
	n, err := io.Copy(to, io.LimitReader(f, limit+1))
	if err == nil && n > limit {
		return &LargeError{limit}
	}
	if info, bad := f.Stat(); err == nil && n == 0 && bad == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return errEmptyPipe
	}
	return err
}

// ReadFile opens and reads a file of at most limit bytes.
func ReadFile(files fs.FS, name string, limit int64) (text []byte, err error) {
	f, err := Open(files, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var b bytes.Buffer
	err = Copy(&b, f, limit)
	return b.Bytes(), err
}

// FileAdvice suggests how to correct an error of ReadFile. It returns other for an error without a suggestion.
func FileAdvice(err error, other string) string {
	var large *LargeError
	switch {
	case errors.As(err, &large):
		return "split it, or check that it is the right file"
	case errors.Is(err, errEmptyPipe):
		return "name a file, or a pipe with a writer"
	}
	return other
}
