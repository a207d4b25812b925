//go:build unix

package core

import (
	"errors"
	"os"
	"syscall"
)

// LockFile waits until no other open file holds the lock. The kernel gives it
// back when the process ends, however it ends.
func LockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// UnlockFile releases the lock of a file.
func UnlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
