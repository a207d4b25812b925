package docker

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
	"time"
)

// prefix is the version of the API in every path: Docker 20.10 and Podman 4.3 speak it.
const prefix = "/v1.41"

const (
	dialWait   = 10 * time.Second
	answerWait = 30 * time.Second // for the answer to a question
)

// Error is an answer that says that a call failed.
type Error struct {
	Op      string
	Status  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// ConnectError is a failure to reach the engine: nothing was sent.
type ConnectError struct{ Err error }

func (e *ConnectError) Error() string { return e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

// IsNotFound reports whether the engine answered that something does not exist.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// Client speaks to one engine.
type Client struct{ transport http.RoundTripper }

// New returns a client that sends its requests through a transport.
func New(t http.RoundTripper) *Client { return &Client{t} }

// Dial sends requests to a URL such as unix:///var/run/docker.sock or tcp://127.0.0.1:2375. Each has a
// connection of its own: one that was kept could end with the engine.
func Dial(endpoint string) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	network, address := "tcp", u.Host
	switch u.Scheme {
	case "unix":
		network, address = "unix", u.Path
	case "tcp":
	default:
		return nil, fmt.Errorf("unknown way to connect to the engine %q", endpoint)
	}
	d := net.Dialer{Timeout: dialWait}
	return New(&http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, network, address) },
	}), nil
}

// request is one call. A body that is a []byte is sent as an archive, any other as JSON.
type request struct {
	method, path string
	query        url.Values
	body         any
}

func (r request) op() string { return r.method + " " + r.path }

// do sends a request and decodes the answer into out, if it is not nil. An out of *[]byte gets the
// answer as it is.
func (c *Client) do(ctx context.Context, r request, out any) error {
	if r.method == http.MethodGet {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, answerWait)
		defer stop()
	}
	q, err := r.encode(ctx)
	if err != nil {
		return err
	}
	answer, err := c.transport.RoundTrip(q)
	if err != nil {
		return unanswered(r, err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return unanswered(r, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return failure(r, answer.StatusCode, b)
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = b
		return nil
	}
	if out == nil || len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s: cannot read the answer: %w", r.op(), err)
	}
	return nil
}

func (r request) encode(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	kind := "application/json"
	switch b := r.body.(type) {
	case nil:
	case []byte:
		body, kind = bytes.NewReader(b), "application/x-tar"
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.op(), err)
		}
		body = bytes.NewReader(encoded)
	}
	u := url.URL{Scheme: "http", Host: "engine", Path: prefix + r.path, RawQuery: r.query.Encode()}
	q, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.op(), err)
	}
	if body != nil {
		q.Header.Set("Content-Type", kind)
	}
	return q, nil
}

// unanswered tells an engine that could not be reached from an answer that was lost.
func unanswered(r request, err error) error {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return &ConnectError{Err: dial}
	}
	return fmt.Errorf("no answer to %s: %w", r.op(), err)
}

func failure(r request, status int, body []byte) error {
	var said struct{ Message, Cause string }
	if json.Unmarshal(body, &said) != nil || said.Message+said.Cause == "" {
		said.Message = strings.TrimSpace(string(body))
	}
	for _, text := range []string{said.Cause, http.StatusText(status)} {
		if said.Message == "" {
			said.Message = text
		}
	}
	return &Error{Op: r.op(), Status: status, Message: said.Message}
}
