package main

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/internal/needs"
)

// mountReadOnly mounts a file system on a folder that root cannot write either.
func mountReadOnly(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_RDONLY, "size=64k,mode=0700"); err != nil {
		needs.Missing(t, "a read-only file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}
