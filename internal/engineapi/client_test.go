package engineapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// broken sends requests to a socket whose server answers each with the given bytes and hangs up.
func broken(t *testing.T, answer string) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}
	}()
	return &Client{Prefix: "/v1", Transport: Unix(path)}
}

// TestWhatAFailureMeans: an engine that was not reached did nothing, one that hung up may have, and one that
// refused says why.
func TestWhatAFailureMeans(t *testing.T) {
	change := Request{Method: http.MethodPost, Path: "/containers/web/start"}
	var unreachable *ConnectError
	none := &Client{Transport: Unix(filepath.Join(t.TempDir(), "none.sock"))}
	if err := none.Do(t.Context(), change, nil); !errors.As(err, &unreachable) {
		t.Errorf("a socket that does not exist: %v", err)
	}
	for what, answer := range map[string]string{
		"no answer":   "",
		"half a head": "HTTP/1.1 200 O",
		"half a body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
		"half a no":   "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 100\r\n\r\n{",
	} {
		var lost *LostError
		if err := broken(t, answer).Do(t.Context(), change, nil); !errors.As(err, &lost) || lost.Op != "POST /containers/web/start" {
			t.Errorf("%s: %v", what, err)
		}
	}
	for body, want := range map[string]string{
		`{"cause":"no such container","message":"no container web"}`: "no container web",
		`{"cause":"no such container"}`:                              "no such container",
		"404 page":                                                   "404 page",
		"":                                                           "Not Found",
	} {
		err := broken(t, "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"+body).Do(t.Context(), change, nil)
		if !IsNotFound(err) || err.Error() != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestACanceledCall: a question that its caller ended is no answer of the engine; the result of a change that its
// caller ended is unknown.
func TestACanceledCall(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c := broken(t, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[]")
	var lost *LostError
	if err := c.Do(ctx, Request{Method: http.MethodGet, Path: "/info"}, nil); !errors.Is(err, context.Canceled) || errors.As(err, &lost) {
		t.Errorf("a question: %v", err)
	}
	if err := c.Do(ctx, Request{Method: http.MethodPost, Path: "/kill"}, nil); !errors.Is(err, context.Canceled) || !errors.As(err, &lost) {
		t.Errorf("a change: %v", err)
	}
}

// TestTheBodyOfARequest: JSON unless its type is given.
func TestTheBodyOfARequest(t *testing.T) {
	for _, tc := range []struct {
		body               any
		kind, want, sentAs string
	}{
		{map[string]int{"a": 1}, "", `{"a":1}`, "application/json"},
		{[]byte("tar"), "application/x-tar", "tar", "application/x-tar"},
		{[]byte("secret"), "", "secret", "application/json"},
		{nil, "", "", ""},
	} {
		var q *http.Request
		c := &Client{Prefix: "/v1", Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			q = r
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
		})}
		if err := c.Do(t.Context(), Request{Method: http.MethodPut, Path: "/x", Query: Values("a", "1", "b", ""), Body: tc.body, Type: tc.kind}, nil); err != nil {
			t.Fatal(err)
		}
		var sent []byte
		if q.Body != nil {
			sent, _ = io.ReadAll(q.Body)
		}
		if string(sent) != tc.want || q.Header.Get("Content-Type") != tc.sentAs || !strings.HasSuffix(q.URL.String(), "/v1/x?a=1") {
			t.Errorf("%v: sent %s as %q to %s", tc.body, sent, q.Header.Get("Content-Type"), q.URL)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
