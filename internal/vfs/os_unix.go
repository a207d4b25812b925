//go:build unix

package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// NoFollow is a flag of os.OpenFile with which a link is not followed, but an error.
const NoFollow = unix.O_NOFOLLOW

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// tryLock uses flock, not fcntl locks: those belong to the process and are lost
// when any descriptor of the file is closed.
func tryLock(f *os.File) (bool, error) {
	err := retry(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return true, nil
}

func unlock(f *os.File) error {
	if err := retry(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }); err != nil {
		return &os.PathError{Op: "unlock", Path: f.Name(), Err: err}
	}
	return nil
}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
