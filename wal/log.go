package wal

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Log is an open log. Its methods are safe for concurrent use. Any number of
// Logs, in one process or in several of one host, may be open on a directory.
type Log struct {
	dir string
	o   options

	token chan struct{} // holds one element while an AppendLock exists

	// The following fields belong to the holder of the append lock.
	id         logID
	key        ed25519.PrivateKey
	lock       vfs.File
	nextLock   vfs.File
	active     vfs.File // the last segment
	space      int64    // length of the last segment's file
	sealed     bool     // the last segment takes no more
	since      int      // batches since the last checkpoint
	signed     Checkpoint
	out        *encoder
	lastNotice lastNotice // in the lock file

	mu     sync.Mutex // guards the fields below
	end    position   // of what was acknowledged; only the holder of the append lock changes it
	broken error
	closed bool
	tear   *TornWrite
	queue  []*request
}

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
	l := &Log{dir: dir, o: o, token: make(chan struct{}, 1)}
	if o.readOnly {
		err = l.openReadOnly()
	} else {
		err = l.openForAppend()
	}
	if err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

func (l *Log) openForAppend() error {
	l.out = newEncoder(l.o.compress)
	for _, dir := range []string{l.dir, filepath.Dir(l.o.keyFile)} {
		if err := l.o.fs.MkdirAll(dir, dirMode); err != nil {
			return fmt.Errorf("wal: %w", err)
		}
	}
	var err error
	const flag = os.O_RDWR | os.O_CREATE
	if l.lock, err = l.o.fs.OpenFile(filepath.Join(l.dir, lockName), flag, fileMode); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if l.nextLock, err = l.o.fs.OpenFile(filepath.Join(l.dir, nextLockName), flag, fileMode); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	if err := l.enter(ctx); err != nil {
		return err
	}
	err = l.recover(true)
	if err == nil {
		l.key, err = signingKey(l.o)
	}
	return errors.Join(err, l.leave(err == nil))
}

// openReadOnly opens the log without changing it. The lock file is only read and
// may be missing: a copy of the segments is a log too.
func (l *Log) openReadOnly() error {
	lock, err := l.o.fs.OpenFile(filepath.Join(l.dir, lockName), os.O_RDONLY, 0)
	if err == nil {
		l.lock = lock
	}
	return l.recover(false)
}

// TornWrite returns what recovery cut off, or, in a log opened with ReadOnly,
// would have to cut off; nil if nothing.
func (l *Log) TornWrite() *TornWrite {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tear
}

// Frontier returns the end of the log as far as this Log knows: its own appends,
// and those of others up to the time when it last had the append lock.
func (l *Log) Frontier() Frontier {
	end, _ := l.state()
	return Frontier{end.seq, end.chain}
}

// ID returns the identity of the log, generated when the log was created.
func (l *Log) ID() [16]byte { return l.id }

// PublicKey returns the key of the checkpoints that this Log signs. It is nil
// in a log opened with ReadOnly.
func (l *Log) PublicKey() ed25519.PublicKey {
	if l.key == nil {
		return nil
	}
	return l.key.Public().(ed25519.PublicKey)
}

// Close signs what was appended since the last checkpoint and closes the log.
// Acknowledged records are durable without it. A log that is broken, or whose
// append lock is not free in time, is closed without signing, and Close returns
// an error; the second call does nothing and returns nil.
func (l *Log) Close() error {
	var signErr error
	if !l.o.readOnly {
		signErr = l.signOnClose()
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

func (l *Log) signOnClose() error {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	t, err := l.Lock(ctx)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = t.Checkpoint()
	return errors.Join(err, t.Unlock())
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

// state returns the end of the log, and an error if nothing can be appended.
func (l *Log) state() (position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return l.end, fmt.Errorf("%s: %w", l.dir, ErrClosed)
	case l.broken != nil:
		return l.end, fmt.Errorf("%s: %w (%w)", l.dir, ErrBroken, l.broken)
	}
	return l.end, nil
}

// advance moves the end of the log.
func (l *Log) advance(to position) {
	l.mu.Lock()
	l.end = to
	l.mu.Unlock()
}

// breakDown keeps the first error after which the content of the disk is unknown.
func (l *Log) breakDown(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = err
	}
	return err
}
