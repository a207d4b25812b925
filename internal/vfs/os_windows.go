package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// NoFollow is a flag of os.OpenFile with which a link is not followed; on this system there is none.
const NoFollow = 0

// syncDir does nothing: NTFS journals its directories.
func syncDir(string) error { return nil }

// lockAt is a byte far behind the content, since a lock on this system also
// keeps others from reading what it covers.
func lockAt() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, lockAt())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return true, nil
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockAt())
}
