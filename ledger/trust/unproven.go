package trust

import (
	"errors"
	"fmt"
)

// ErrUnproven is returned where the audit log does not prove that ovi created or adopted a
// resource.
var ErrUnproven = errors.New("not proven by the audit log")

// UnprovenError is an ErrUnproven with its reason.
type UnprovenError struct {
	Why  string
	Next string // what to do, if anything but adopting the resource helps
}

func (e *UnprovenError) Error() string { return e.Why }

// Is makes it an ErrUnproven.
func (e *UnprovenError) Is(target error) bool { return target == ErrUnproven }

// Suggestion returns the next step, or "" if only adopting the resource helps.
func (e *UnprovenError) Suggestion() string { return e.Next }

func unproven(format string, args ...any) *UnprovenError {
	return &UnprovenError{Why: fmt.Sprintf(format, args...)}
}

// differs is for a row of the store that the audit log contradicts.
func (e *UnprovenError) differs() *UnprovenError {
	e.Next = "run `ovi audit replay` to compare the store with the audit log, and with --repair to rebuild it"
	return e
}

// trustKey names the key that would prove it.
func (e *UnprovenError) trustKey(key string) *UnprovenError {
	e.Next = "if the instance is yours, run `ovi store trust " + key + "`, or give all instances one key " +
		"(OVI_LOG_KEY_FILE)"
	return e
}
