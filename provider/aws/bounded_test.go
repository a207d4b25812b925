package aws

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/budget"
)

type answering func(*http.Request) (*http.Response, error)

func (f answering) Do(r *http.Request) (*http.Response, error) { return f(r) }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestAnAnswerOfAWSEndsAtItsLimit: whether or not it has a length; a short one is read to its end.
func TestAnAnswerOfAWSEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   io.Reader
		length int64
		status int
		method string
		large  bool
	}{
		"short":          {strings.NewReader("<ok/>"), 5, http.StatusOK, http.MethodGet, false},
		"endless":        {zeros{}, -1, http.StatusOK, http.MethodGet, true},
		"long":           {zeros{}, 1 << 40, http.StatusOK, http.MethodGet, true},
		"a long error":   {zeros{}, budget.Text + 1, http.StatusForbidden, http.MethodGet, true},
		"a short error":  {strings.NewReader("<no/>"), 5, http.StatusForbidden, http.MethodGet, false},
		"a large object": {strings.NewReader("12345"), 1 << 40, http.StatusOK, http.MethodHead, false},
	} {
		answer, err := bounded{answering(func(*http.Request) (*http.Response, error) {
			return &http.Response{Body: io.NopCloser(c.body), ContentLength: c.length, StatusCode: c.status}, nil
		})}.Do(&http.Request{Method: c.method})
		if err == nil {
			var n int64
			if n, err = io.Copy(io.Discard, answer.Body); n > budget.Answer || !c.large && n != 5 {
				t.Errorf("%s: %d bytes were read", name, n)
			}
		}
		if errors.Is(err, budget.ErrSpent) != c.large {
			t.Errorf("%s: %v", name, err)
		}
	}
}
