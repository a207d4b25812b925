package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData does not sync the times of the inode, as fsync does: they cost a
// journal commit and are not needed.
func syncData(f *os.File) error {
	if err := retry(func() error { return unix.Fdatasync(int(f.Fd())) }); err != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
	}
	return nil
}
