package engineapi

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/ovi-project/ovi/internal/budget"
)

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestAnAnswerEndsAtItsLimit: an answer, and the message of a refusal. The result of a change is then unknown.
func TestAnAnswerEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			c := &Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Body: io.NopCloser(endless{})}, nil
			})}
			var lost *LostError
			if err := c.Do(t.Context(), Request{Method: method, Path: "/x"}, &[]byte{}); !errors.Is(err, budget.ErrSpent) || !errors.As(err, &lost) {
				t.Errorf("%s with %d: %v", method, status, err)
			}
		}
	}
}
