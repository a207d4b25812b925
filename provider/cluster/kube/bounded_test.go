package kube

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ovi-project/ovi/internal/budget"
)

// TestAnAnswerEndsAtItsLimit: an API server that never ends its answer does not fill the memory.
func TestAnAnswerEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for part := make([]byte, 1<<20); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	c := &Client{server: server.URL, http: server.Client()}
	if err := c.Get(t.Context(), "/version", nil, &struct{}{}); !errors.Is(err, budget.ErrSpent) {
		t.Errorf("%v", err)
	}
}
