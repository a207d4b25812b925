package system

import (
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/provider"
)

// Permanent returns an error of a request that fails again; hint says what to do.
func Permanent(op, hint, format string, args ...any) error {
	return &provider.Error{Class: provider.Permanent, Op: op, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Conflict returns the error of a request that something else blocks; hint says what to do.
func Conflict(op, hint, format string, args ...any) error {
	return &provider.Error{Class: provider.Conflict, Op: op, Err: fmt.Errorf(format, args...), Hint: hint}
}

// ErrNotListed means that a resource that was just made is not listed.
var ErrNotListed = errors.New("it is not listed")

// Uncertain returns the error of a call that may have succeeded.
func Uncertain(what string, err error) error {
	if err == nil {
		err = ErrNotListed
	}
	return &provider.Error{Class: provider.Uncertain, Err: fmt.Errorf("%s: %w", what, err)}
}
