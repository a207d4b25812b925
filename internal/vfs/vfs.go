package vfs

import (
	"io"
	"io/fs"
)

// FS is a file system. All methods are safe for concurrent use.
//
// A change of a directory (a file made, renamed or removed) is durable only
// when SyncDir of that directory has returned nil.
type FS interface {
	// OpenFile opens a file; the flags are those of package os.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)

	// MkdirAll creates a directory and its parents; one that exists is no error.
	MkdirAll(dir string, perm fs.FileMode) error

	// ReadDir returns the names in a directory in ascending order.
	ReadDir(dir string) ([]string, error)

	// Rename moves a file over another one, atomically.
	Rename(from, to string) error

	// Remove deletes a file. A file that is open stays readable.
	Remove(name string) error

	// Stat returns length and mode of a file, or an error if it does not exist.
	Stat(name string) (fs.FileInfo, error)

	// SyncDir makes the changes of a directory durable.
	SyncDir(dir string) error
}

// File is an open file. ReadAt and WriteAt are safe for concurrent use.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer

	// Sync makes durable what was written to the file, its length included.
	// After an error nothing is known about any byte written since the last
	// Sync that succeeded: a second Sync that returns nil proves nothing.
	Sync() error

	// Truncate sets the length; what is added reads as zero.
	Truncate(size int64) error

	// Size returns the length.
	Size() (int64, error)

	// TryLock takes the exclusive lock of the file and reports whether it got
	// it. It does not wait. The lock belongs to this File, so two Files of one
	// process exclude each other; closing, or the end of the process, frees it.
	TryLock() (bool, error)

	// Unlock frees the lock.
	Unlock() error
}
