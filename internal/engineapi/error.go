package engineapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Error is an answer that says that a call failed.
type Error struct {
	Op      string // "POST /containers/create"
	Status  int
	Cause   string // of Podman: a fixed text for each kind of failure; statuses differ between versions
	Message string
}

func (e *Error) Error() string { return e.Message }

// OwnText is the status.
func (e *Error) OwnText() (text string, whole bool) {
	return fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status)), false
}

// IsNotFound reports whether the engine answered that something does not exist.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// ConnectError is a failure to reach the engine: nothing was changed.
type ConnectError struct{ Err error }

func (e *ConnectError) Error() string { return e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

// LostError is a call whose answer was lost: it may have been carried out.
type LostError struct {
	Op  string
	Err error
}

func (e *LostError) Error() string { return "no answer to " + e.Op + ": " + e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// OwnText omits the path of the call and the cause.
func (e *LostError) OwnText() (text string, whole bool) { return "no answer", false }

var errNoAnswer = errors.New("it accepted the connection and did not answer")

// Lost tells an engine that could not be reached from an answer that was lost. A change without an answer in time may
// have been made.
func Lost(ctx context.Context, r Request, err error) error {
	var dial *net.OpError
	switch {
	case errors.Is(context.Cause(ctx), errNoAnswer) && !r.asks():
		return &LostError{Op: r.Op(), Err: errNoAnswer}
	case errors.Is(context.Cause(ctx), errNoAnswer):
		return &ConnectError{fmt.Errorf("%s: %w", r.Op(), errNoAnswer)}
	case ctx.Err() != nil && r.Method == http.MethodGet:
		return fmt.Errorf("%s: %w", r.Op(), ctx.Err())
	case ctx.Err() != nil:
		return &LostError{Op: r.Op(), Err: ctx.Err()}
	case errors.As(err, &dial) && dial.Op == "dial":
		return &ConnectError{Err: dial}
	}
	return &LostError{Op: r.Op(), Err: err}
}

// refused reads what an engine says about a call that failed.
func refused(r Request, status int, body []byte) error {
	var said struct{ Cause, Message string }
	if json.Unmarshal(body, &said) != nil || said.Cause+said.Message == "" {
		said.Message = strings.TrimSpace(string(body))
	}
	return &Error{
		Op: r.Op(), Status: status, Cause: said.Cause,
		Message: cmp.Or(said.Message, said.Cause, http.StatusText(status)),
	}
}
