package system

import (
	"errors"

	"github.com/ovi-project/ovi/provider"
)

// Mistake returns an error of a configuration that fails again; hint says what to do.
func Mistake(op, hint, format string, args ...any) error {
	return &provider.Error{Cause: provider.Configuration, Op: op, Err: provider.Errorf(format, args...), Hint: hint}
}

// InUse returns the error of a request that something else blocks; hint says what to do.
func InUse(op, hint, format string, args ...any) error {
	return &provider.Error{Cause: provider.InUse, Op: op, Err: provider.Errorf(format, args...), Hint: hint}
}

// ErrNotListed means that a resource that was just made is not listed.
var ErrNotListed = errors.New("it is not listed")

// Uncertain returns the error of a call that may have succeeded.
func Uncertain(what string, err error) error {
	if err == nil {
		err = ErrNotListed
	}
	return &provider.Error{Cause: provider.UnknownResult, Err: provider.Errorf("%s: %w", what, err)}
}
