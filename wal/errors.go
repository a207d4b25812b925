package wal

import (
	"errors"
	"fmt"
)

// Sentinels of this package. They are wrapped with what and where.
var (
	// ErrClosed: the log is closed, or the append lock released.
	ErrClosed = errors.New("wal: closed")

	// ErrBroken: an earlier write or sync failed, so the content of the disk
	// behind the frontier is unknown. Reading works; Reopen lets the log be
	// appended to again.
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

// ErrBehind: the record is not in the log yet.
var ErrBehind = errors.New("wal: the log ends before this record")

// ErrOtherLog is an anchor of another log: one of them was replaced, or kept in the wrong place.
var ErrOtherLog = errors.New("is of another log")

// errEnd: nothing follows; the file ends, or zeros start.
var errEnd = errors.New("wal: end of segment")

// flaw reports that the bytes at an offset are not a valid frame. The caller,
// which knows what was acknowledged, decides between a torn write and damage.
type flaw struct {
	offset int64
	reason string
}

func (f *flaw) Error() string { return f.reason }
