//go:build !unix

package core

import "os"

// On systems without flock the file belongs to one process at a time; nothing
// here can enforce it.
func lockFile(*os.File) error   { return nil }
func unlockFile(*os.File) error { return nil }
