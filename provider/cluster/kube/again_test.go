package kube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// busy answers so many requests with 429, and counts all.
type busy struct {
	refuses, asked int
	after          string
}

func (b *busy) RoundTrip(q *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(q.Body)
	b.asked++
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body)))}
	if b.asked <= b.refuses {
		answer.StatusCode = http.StatusTooManyRequests
		answer.Header.Set("Retry-After", b.after)
		answer.Body = io.NopCloser(strings.NewReader(`{"reason":"TooManyRequests","message":"storage is (re)initializing"}`))
	}
	return answer, nil
}

// TestABusyServerIsAskedAgain after the time that it gives, with the same body, and for as long as an answer may take.
func TestABusyServerIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		server busy
		asked  int
		took   time.Duration
		fails  bool
	}{
		"at once":          {busy{after: "1"}, 1, 0, false},
		"twice":            {busy{refuses: 2, after: "2"}, 3, 4 * time.Second, false},
		"a time of zero":   {busy{refuses: 1, after: "0"}, 2, time.Second, false},
		"a time of a year": {busy{refuses: 1, after: "31536000"}, 2, 5 * time.Second, false},
		"without a time":   {busy{refuses: 1}, 1, 0, true},
		"always":           {busy{refuses: 1 << 30, after: "3"}, 11, 30 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &Client{server: "http://server", http: &http.Client{Transport: &c.server}}
				start := time.Now()
				b, err := client.send(t.Context(), http.MethodPost, "/x", nil, "text/plain", []byte("the body"))
				var busy *Error
				if c.fails != errors.As(err, &busy) || err == nil && string(b) != "the body" {
					t.Errorf("%q, %v", b, err)
				}
				if c.server.asked != c.asked || time.Since(start) != c.took {
					t.Errorf("asked %d times in %s, want %d in %s", c.server.asked, time.Since(start), c.asked, c.took)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		client := &Client{server: "http://server", http: &http.Client{Transport: &busy{refuses: 9, after: "1"}}}
		ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer stop()
		start := time.Now()
		if _, err := client.send(ctx, http.MethodGet, "/x", nil, "", nil); err == nil || time.Since(start) != 1500*time.Millisecond {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}
