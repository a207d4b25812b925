//go:build !unix

package git

import "context"

// lock does nothing where files cannot be locked: git's own locks then refuse a second process.
func lock(context.Context, string) (func(), error) { return func() {}, nil }
