package wal

import (
	"crypto/ed25519"
	"sync"
	"time"

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
	active     vfs.File  // the last segment
	space      int64     // length of the last segment's file
	sealed     bool      // the last segment takes no more
	endAt      time.Time // of the last batch; zero if the last segment has none
	out        *encoder
	lastNotice lastNotice // in the lock file

	marks readMarks

	mu     sync.Mutex // guards the fields below
	end    position   // of what was acknowledged; only the holder of the append lock changes it
	broken error
	closed bool
	tear   *TornWrite
	queue  []*request
}

// ID returns the identity of the log, generated when the log was created.
func (l *Log) ID() [16]byte { return l.id }

// PublicKey returns the key with which this Log signs. It is nil in a log opened with ReadOnly.
func (l *Log) PublicKey() ed25519.PublicKey { return publicOf(l.key) }

// owner decides which signatures count in this log.
func (l *Log) owner() owner {
	return owner{l.dir, l.PublicKey(), l.o.trusted, l.o.readOnly && len(l.o.trusted) == 0}
}

// request is one caller's records on the way into a shared batch.
type request struct {
	records [][]byte
	taken   bool // by the writing goroutine; guarded by Log.mu
	done    chan struct{}
	batch   Batch
	err     error
}

// First returns the number of the oldest record that is kept, and when the
// ones before it were trimmed (zero if never).
func (l *Log) First() (Seq, time.Time, error) {
	d, err := scanForward(l.o.fs, l.dir)
	if err != nil || len(d.segments) == 0 {
		return 0, time.Time{}, err
	}
	if d.trim == nil {
		return d.segments[0].first, time.Time{}, nil
	}
	return d.segments[0].first, d.trim.end.At, nil
}

// lastNotice is the last notice that this Log wrote, so that none is written twice.
type lastNotice struct {
	locked bool
	end    position
}
