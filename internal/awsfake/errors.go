package awsfake

import (
	"errors"
	"fmt"
)

// Error is an error response of the sandbox: what AWS calls a code, with
// its message and HTTP status.
type Error struct {
	Status  int
	Code    string
	Message string

	home string // where the bucket lives that was asked for elsewhere
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// failf is a refusal with status 400, the status of nearly every client error.
func failf(code, format string, args ...any) error {
	return &Error{Status: 400, Code: code, Message: fmt.Sprintf(format, args...)}
}

// failAs is a refusal with a status of its own.
func failAs(status int, code, format string, args ...any) error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// missing is the error for a required parameter that is omitted.
func missing(name string) error {
	return failf("MissingParameter", "The request must contain the parameter %s", name)
}

func badValue(value, name, why string) error {
	return failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. %s", value, name, why)
}

// errorOf makes an error answer of any error: what is not a refusal is a fault
// of the sandbox itself, which AWS would call an internal error.
func errorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Status: 500, Code: "InternalError", Message: "sandbox: " + err.Error()}
}
