//go:build !unix

package bolt

import (
	"errors"
	"os"
)

// tryLock leaves the locking to bbolt, which locks when it opens.
func tryLock(*os.File, bool) (bool, error) { return true, nil }

// unlock cannot be had without closing, so each operation closes.
func unlock(*os.File) error { return errors.ErrUnsupported }
