package wal

import (
	"errors"
	"fmt"
	"time"
)

// Sentinels of this package. They are wrapped with what and where.
var (
	// ErrClosed: the log is closed, or the append lock released.
	ErrClosed = errors.New("wal: closed")

	// ErrBroken: an earlier write or sync failed, so the content of the disk
	// behind the frontier is unknown. Reading works; to append, close the log
	// and open it again.
	ErrBroken = errors.New("wal: broken by an earlier error, reopen it to append")

	// ErrTrimmed: the record asked for was removed by Trim.
	ErrTrimmed = errors.New("wal: trimmed")

	// ErrVersion: a newer program wrote the file, which is not damaged.
	ErrVersion = errors.New("wal: written by a newer version")

	// ErrTooLarge: the records do not fit into one batch.
	ErrTooLarge = errors.New("wal: batch too large")

	// ErrReadOnly: the log was opened with ReadOnly.
	ErrReadOnly = errors.New("wal: opened for reading only")
)

// CorruptError reports that the log differs from what was written to it, and
// where. It is never returned for an append that a crash cut short.
type CorruptError struct {
	Segment string // the file name
	Offset  int64  // of the batch or header that is wrong
	Seq     Seq    // the first record that cannot be trusted
	Reason  string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("wal: corrupt: %s offset %d, record %d: %s", e.Segment, e.Offset, e.Seq, e.Reason)
}

// LockedError reports that another process kept the append lock for longer than
// the caller could wait. It wraps the error of the caller's context.
type LockedError struct {
	Dir   string
	PID   int       // 0 if not known
	Since time.Time // zero if not known
	Err   error
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if !e.Since.IsZero() {
		who += " since " + e.Since.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("wal: %s: %s has the append lock: %v", e.Dir, who, e.Err)
}

// Unwrap returns the error of the context.
func (e *LockedError) Unwrap() error { return e.Err }
