//go:build unix

package awsfake

import (
	"errors"
	"os"
	"syscall"
)

// lockFile waits until no other open file holds the lock. The kernel gives it
// back when the process ends, however it ends.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
