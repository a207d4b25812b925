package wal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Open opens the log in a directory, which it creates if it is missing, and
// waits for the append lock, no longer than WithLockWait allows.
//
// The log must end with a signature of the own key, or of one that WithTrustedKey names: else Open returns a
// *ForeignError and changes nothing. With ReadOnly, which has no own key, any valid signature is accepted if no
// key is named.
//
// What a crash left unfinished behind the last complete batch is cut, and
// reported by TornWrite. Every other difference from what was written is a
// *CorruptError and changes nothing. The last segment is checked byte by byte,
// of the others the headers; Read and Verify check what they read.
func Open(dir string, opts ...Option) (*Log, error) {
	o, err := newOptions(dir, opts)
	if err != nil {
		return nil, err
	}
	l := &Log{dir: dir, o: o, token: make(chan struct{}, 1), out: newEncoder(o.compress)}
	if o.readOnly {
		// The lock file is only read and may be missing: a copy of the segments is a log too.
		if lock, err := o.fs.OpenFile(filepath.Join(dir, lockName), os.O_RDONLY, 0); err == nil {
			l.lock = lock
		}
		err = l.recover(false)
	} else if err = l.create(); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), o.lockWait)
		defer cancel()
		if err = l.enter(ctx); err == nil {
			if l.key, err = signingKey(o); err == nil {
				err = l.recover(true)
			}
			err = errors.Join(err, l.leave(err == nil))
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

// create makes the directories and the lock files that are missing, and opens these.
func (l *Log) create() (err error) {
	for _, dir := range []string{l.dir, filepath.Dir(l.o.keyFile)} {
		if err := l.o.fs.MkdirAll(dir, dirMode); err != nil {
			return fmt.Errorf("wal: %w", err)
		}
	}
	const flag = os.O_RDWR | os.O_CREATE
	if l.lock, err = l.o.fs.OpenFile(filepath.Join(l.dir, lockName), flag, fileMode); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if l.nextLock, err = l.o.fs.OpenFile(filepath.Join(l.dir, nextLockName), flag, fileMode); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}

// Close waits for the holder of the append lock in this process, and closes the log. Acknowledged records are
// durable, and signed, without it. It returns ErrBroken for a log that is broken; the second call does nothing
// and returns nil.
func (l *Log) Close() error {
	l.token <- struct{}{} // wait for the holder of the append lock
	defer func() { <-l.token }()
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var broken error
	if l.broken != nil {
		broken = fmt.Errorf("%s: %w (%w)", l.dir, ErrBroken, l.broken)
	}
	return errors.Join(broken, l.closeFiles())
}

func (l *Log) closeFiles() error {
	var errs []error
	for _, f := range []vfs.File{l.active, l.lock, l.nextLock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
