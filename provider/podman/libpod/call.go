package libpod

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// prefix is the version of the API in every path.
const prefix = "/v4.0.0/libpod"

// Error is an answer of Podman that says that a call failed.
type Error struct {
	Op      string // "POST /containers/create"
	Status  int
	Cause   string // a fixed text for each kind of failure; statuses differ between versions
	Message string
}

func (e *Error) Error() string { return e.Message }

// ConnectError is a failure to reach the service: nothing was sent.
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

// caller sends requests and decodes answers.
type caller struct {
	transport http.RoundTripper
	version   atomic.Pointer[string] // of Podman, in its last answer
}

// request is one call. A body that is a []byte is sent as it is, any other as JSON.
type request struct {
	method, path string
	query        url.Values
	body         any
	wait         time.Duration // of a question: how long its answer may take; 0: answerWait
}

func (r request) op() string { return r.method + " " + r.path }

// How long Podman may take to answer a question; checks run a program, and registries are asked over a
// network. What changes something may take as long as it takes.
const (
	answerWait = 30 * time.Second
	slowWait   = 5 * time.Minute
)

var errNoAnswer = errors.New("it accepted the connection and did not answer")

// bounded ends a question that is not answered.
func bounded(ctx context.Context, r request) (context.Context, context.CancelFunc) {
	wait := r.wait
	switch {
	case r.method != http.MethodGet:
		return ctx, func() {}
	case wait == 0:
		wait = answerWait
	}
	return context.WithTimeoutCause(ctx, wait, errNoAnswer)
}

// do sends a request and decodes the answer into out, if it is not nil. It returns the status.
func (c *caller) do(ctx context.Context, r request, out any) (int, error) {
	ctx, stop := bounded(ctx, r)
	defer stop()
	answer, err := c.send(ctx, r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, lost(ctx, r, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return answer.StatusCode, failure(r, answer.StatusCode, b)
	}
	if out == nil || len(bytes.TrimSpace(b)) == 0 {
		return answer.StatusCode, nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return answer.StatusCode, fmt.Errorf("%s: cannot read the answer: %w", r.op(), err)
	}
	return answer.StatusCode, nil
}

func (c *caller) send(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	switch b := r.body.(type) {
	case nil:
	case []byte:
		body = bytes.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.op(), err)
		}
		body = bytes.NewReader(encoded)
	}
	u := url.URL{Scheme: "http", Host: "podman", Path: prefix + r.path, RawQuery: r.query.Encode()}
	q, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.op(), err)
	}
	if body != nil {
		q.Header.Set("Content-Type", "application/json") // else Podman reads the body as a form
	}
	answer, err := c.transport.RoundTrip(q)
	if err != nil {
		return nil, lost(ctx, r, err)
	}
	if v := answer.Header.Get("Libpod-Api-Version"); v != "" {
		c.version.Store(&v)
	}
	return answer, nil
}

// lost tells a service that could not be reached from an answer that was lost.
func lost(ctx context.Context, r request, err error) error {
	var dial *net.OpError
	switch {
	case errors.Is(context.Cause(ctx), errNoAnswer):
		return &ConnectError{fmt.Errorf("%s: %w", r.op(), errNoAnswer)}
	case ctx.Err() != nil && r.method == http.MethodGet:
		return fmt.Errorf("%s: %w", r.op(), ctx.Err())
	case ctx.Err() != nil:
		return &LostError{Op: r.op(), Err: ctx.Err()}
	case errors.As(err, &dial) && dial.Op == "dial":
		return &ConnectError{Err: dial}
	}
	return &LostError{Op: r.op(), Err: err}
}

func failure(r request, status int, body []byte) error {
	e := &Error{Op: r.op(), Status: status}
	var said struct{ Cause, Message string }
	if json.Unmarshal(body, &said) == nil && said.Message+said.Cause != "" {
		e.Cause, e.Message = said.Cause, said.Message
	} else {
		e.Message = strings.TrimSpace(string(body))
	}
	switch {
	case e.Message == "" && e.Cause == "":
		e.Message = http.StatusText(status)
	case e.Message == "":
		e.Message = e.Cause
	}
	return e
}

// values makes a query of pairs; empty values are omitted.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

// Filters restrict a list: each key with the values of which one must match; labels all.
type Filters map[string][]string

func (f Filters) query() (string, error) {
	if len(f) == 0 {
		return "", nil
	}
	b, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("filters %v: %w", map[string][]string(f), err)
	}
	return string(b), nil
}
