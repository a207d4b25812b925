//go:build unix

package command

import (
	"io/fs"
	"os"
	"syscall"
)

// NoFollow opens no link, and does not wait for a reader of a pipe.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// OwnFile reports whether a file belongs to this user.
func OwnFile(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
