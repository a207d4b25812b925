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
		large  bool
	}{
		"short": {strings.NewReader("<ok/>"), 5, false}, "endless": {zeros{}, -1, true}, "long": {zeros{}, 1 << 40, true},
	} {
		answer, err := bounded{answering(func(*http.Request) (*http.Response, error) {
			return &http.Response{Body: io.NopCloser(c.body), ContentLength: c.length}, nil
		})}.Do(nil)
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
