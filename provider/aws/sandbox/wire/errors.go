package wire

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

	Home string // where the bucket lives that was asked for elsewhere
}

// Error returns code and message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Failf is a refusal with status 400, the status of nearly every client error.
func Failf(code, format string, args ...any) error {
	return &Error{Status: 400, Code: code, Message: fmt.Sprintf(format, args...)}
}

// FailAs is a refusal with a status of its own.
func FailAs(status int, code, format string, args ...any) error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Missing is the error for a required parameter that is omitted.
func Missing(name string) error {
	return Failf("MissingParameter", "The request must contain the parameter %s", name)
}

// BadValue is the error for a parameter with a value that it cannot have.
func BadValue(value, name, why string) error {
	return Failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. %s", value, name, why)
}

// ErrorOf makes an error answer of any error: what is not a refusal is a fault
// of the sandbox itself, which AWS would call an internal error.
func ErrorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Status: 500, Code: "InternalError", Message: "sandbox: " + err.Error()}
}
