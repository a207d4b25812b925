//go:build !unix

package gitclone

import "context"

// LockFile does nothing where files cannot be locked: git's own locks then refuse a second process.
func LockFile(context.Context, string) (func(), error) { return func() {}, nil }
