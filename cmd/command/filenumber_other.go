//go:build !unix

package command

import "io/fs"

// fileNumber is the number by which the file system knows a file, whatever its name; 0 means none.
func fileNumber(fs.FileInfo) uint64 { return 0 }
