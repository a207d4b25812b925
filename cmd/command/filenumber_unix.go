//go:build unix

package command

import (
	"io/fs"
	"syscall"
)

// fileNumber is the number by which the file system knows a file, whatever its name; 0 means none.
func fileNumber(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino) //nolint:unconvert // another type on some systems
	}
	return 0
}
