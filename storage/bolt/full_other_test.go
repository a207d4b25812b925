//go:build !linux

package bolt_test

import (
	"errors"

	"github.com/ovi-project/ovi/storage"
)

func fillUp(storage.Store) error { return errors.ErrUnsupported }
