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
			err = l.recover(true)
			if err == nil {
				l.key, err = signingKey(o)
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

// Close signs what was appended since the last checkpoint and closes the log.
// Acknowledged records are durable without it. A log that is broken, or whose
// append lock is not free in time, is closed without signing, and Close returns
// an error; the second call does nothing and returns nil.
func (l *Log) Close() error {
	var signErr error
	if !l.o.readOnly {
		if _, signErr = l.Checkpoint(); errors.Is(signErr, ErrClosed) {
			signErr = nil
		}
	}
	l.token <- struct{}{} // wait for the holder of the append lock
	defer func() { <-l.token }()
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return nil
	}
	return errors.Join(signErr, l.closeFiles())
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
