package engineapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// The time that an engine may take to answer.
const (
	AnswerWait = 30 * time.Second // a question
	ChangeWait = 5 * time.Minute  // a change; Open has no limit of its own
)

// Client sends requests to one engine.
type Client struct {
	Prefix    string // of every path: the version of the API
	Transport http.RoundTripper
	Answered  func(http.Header) // gets the header of each answer; nil means that nothing does
}

// Request is one call.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         any           // a []byte is sent as it is, any other as JSON
	Type         string        // of the body; "" means application/json
	Wait         time.Duration // how long the answer may take; 0: AnswerWait or ChangeWait
}

// asks reports whether a call changes nothing.
func (r Request) asks() bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// Op names a call in an error.
func (r Request) Op() string { return r.Method + " " + r.Path }

// Do sends a request and decodes the answer into out, if it is not nil. An out of *[]byte gets the whole answer. Podman
// fails an inspection of a container that ends meanwhile: Do asks again, a few times.
func (c *Client) Do(ctx context.Context, r Request, out any) error {
	wait := r.Wait
	switch {
	case wait != 0:
	case r.asks():
		wait = AnswerWait
	default:
		wait = ChangeWait
	}
	ctx, stop := context.WithTimeoutCause(ctx, wait, errNoAnswer)
	defer stop()
	for tries := 1; ; tries++ {
		err := c.once(ctx, r, out)
		if !r.asks() || !endedMeanwhile(err) || tries == mostTries {
			return err
		}
	}
}

// mostTries bounds how often a question is asked. The process is gone at the second time, unless another one ends.
const mostTries = 5

// endedMeanwhile reports whether the engine looked for a process in /proc that has ended.
func endedMeanwhile(err error) bool {
	var said *Error
	return errors.As(err, &said) && strings.Contains(said.Message, "/proc/") && strings.Contains(said.Message, "no such")
}

func (c *Client) once(ctx context.Context, r Request, out any) error {
	answer, err := c.Open(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }() // only read from
	b, err := budget.ReadAll(answer, "the answer", budget.Answer)
	if err != nil {
		return Lost(ctx, r, err)
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = b
		return nil
	}
	if out == nil || len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s: cannot read the answer: %w", r.Op(), err)
	}
	return nil
}

// Open sends a request and returns its answer while it arrives. An error while it is read goes through Lost.
func (c *Client) Open(ctx context.Context, r Request) (io.ReadCloser, error) {
	q, err := c.encode(ctx, r)
	if err != nil {
		return nil, err
	}
	answer, err := c.Transport.RoundTrip(q)
	if err != nil {
		return nil, Lost(ctx, r, err)
	}
	if c.Answered != nil {
		c.Answered(answer.Header)
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer.Body, nil
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	b, err := budget.ReadAll(answer.Body, "the answer", budget.Text)
	if err != nil {
		return nil, Lost(ctx, r, err)
	}
	return nil, refused(r, answer.StatusCode, b)
}

func (c *Client) encode(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	kind := "application/json" // without it, Podman reads the body as a form
	switch b := r.Body.(type) {
	case nil:
	case []byte:
		body = bytes.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Op(), err)
		}
		body = bytes.NewReader(encoded)
	}
	if r.Type != "" {
		kind = r.Type
	}
	u := url.URL{Scheme: "http", Host: "engine", Path: c.Prefix + r.Path, RawQuery: r.Query.Encode()}
	q, err := http.NewRequestWithContext(ctx, r.Method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Op(), err)
	}
	if body != nil {
		q.Header.Set("Content-Type", kind)
	}
	return q, nil
}

// Values makes a query of pairs; empty values are omitted.
func Values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}
