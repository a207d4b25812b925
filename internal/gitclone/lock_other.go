//go:build !unix

package gitclone

import "context"

// lock does nothing where files cannot be locked: git's own locks then refuse a second process.
func lock(context.Context, string) (func(), error) { return func() {}, nil }
