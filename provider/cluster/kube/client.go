package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// Manager is the name under which fields are applied.
const Manager = "ovi"

// answerWait is how long an answer may take.
const answerWait = 30 * time.Second

// Client asks one cluster.
type Client struct {
	server string
	token  string
	http   *http.Client
}

// Error is an answer that says that a call failed.
type Error struct {
	Op      string
	Status  int
	Reason  string // "NotFound"
	Message string
}

func (e *Error) Error() string { return e.Message }

// OwnText is the status.
func (e *Error) OwnText() (text string, whole bool) {
	return fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status)), false
}

// IsNotFound reports whether the cluster answered that something does not exist.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// New returns a client. It connects when it is first used.
func New(c Config) (*Client, error) {
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	return &Client{
		server: strings.TrimSuffix(c.Server, "/"), token: c.Token,
		// Each request has a connection of its own: one that was kept could end with the cluster.
		http: &http.Client{
			Timeout: answerWait, CheckRedirect: stay,
			Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true},
		},
	}, nil
}

// stay follows no redirect: a secret of a request is for the server of the configuration alone.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Ready returns nil if the API server is ready.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.send(ctx, http.MethodGet, "/readyz", nil, "", nil)
	return err
}

// Version is the version of Kubernetes.
func (c *Client) Version(ctx context.Context) (string, error) {
	var v struct{ GitVersion string }
	err := c.Get(ctx, "/version", nil, &v)
	return v.GitVersion, err
}

// Get reads an object or a list.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	b, err := c.send(ctx, http.MethodGet, path, query, "", nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s: cannot read the answer: %w", path, err)
	}
	return nil
}

// send sends a request. A server that is busy, or prepares its storage for a new kind, has done nothing and says when
// to ask again: then the request is sent again, as client-go does, for as long as an answer may take.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, kind string,
	body []byte,
) (b []byte, err error) {
	for start := time.Now(); ; {
		var again time.Duration
		b, again, err = c.try(ctx, method, path, query, kind, body)
		if again < 0 || time.Since(start)+again > answerWait {
			return b, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(again):
		}
	}
}

// longestAgain bounds the seconds that a server can ask for.
const longestAgain = 5

// againAfter is the time after which a server that did nothing asks to send a request again; negative means never.
func againAfter(answer *http.Response) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests {
		return -1
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return -1
	}
	return time.Duration(min(max(seconds, 1), longestAgain)) * time.Second
}

// try sends a request once. The time is the result of againAfter.
func (c *Client) try(ctx context.Context, method, path string, query url.Values, kind string,
	body []byte,
) ([]byte, time.Duration, error) {
	q, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, -1, err
	}
	q.URL.RawQuery = query.Encode()
	if kind != "" {
		q.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, -1, err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	b, err := budget.ReadAll(answer.Body, "the answer", budget.Answer)
	if err != nil {
		return nil, -1, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		e := &Error{Op: method + " " + path, Status: answer.StatusCode}
		var said struct{ Reason, Message string }
		if json.Unmarshal(b, &said) == nil && said.Message != "" {
			e.Reason, e.Message = said.Reason, said.Message
		} else {
			e.Message = fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
		}
		return nil, againAfter(answer), e
	}
	return b, -1, nil
}

// Untouched reports whether nothing was put into a new cluster: it has only the namespaces of its system.
func (c *Client) Untouched(ctx context.Context) (bool, error) {
	var all struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := c.Get(ctx, "/api/v1/namespaces", nil, &all); err != nil {
		return false, err
	}
	for _, n := range all.Items {
		if name := n.Metadata.Name; name != "default" && name != "local-path-storage" && !strings.HasPrefix(name, "kube-") {
			return false, nil
		}
	}
	return true, nil
}
