//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// noFollow opens no link, and does not wait for a reader of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ownFile reports whether a file belongs to this user.
func ownFile(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
