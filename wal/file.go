package wal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/internal/vfs"
)

// readFull is io.ReadFull at an offset.
func readFull(f vfs.File, b []byte, at int64) error {
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readAll returns the content of a small file.
func readAll(fsys vfs.FS, name string) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	return b, readFull(f, b, 0)
}

// writeWhole replaces a file so that a crash leaves the old or the new one.
func writeWhole(fsys vfs.FS, name string, content []byte) error {
	temp := name + tempSuffix
	if err := fsys.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a crash
		return err
	}
	f, err := fsys.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, keyMode)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := fsys.Rename(temp, name); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// keyMode is the mode of the key file: a process that can read it can forge a log.
const keyMode = 0o600

// Names in the directory of a log.
const (
	segmentSuffix = ".wal"
	tempSuffix    = ".tmp"
	lockName      = "lock" // locked while the append lock is held; it contains the tail hint
	nextLockName  = "next" // locked by the process that is next to get the append lock
	trimName      = "trimmed"
)

const (
	fileMode = 0o600
	dirMode  = 0o700
)
