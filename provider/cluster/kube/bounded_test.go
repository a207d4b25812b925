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

// TestARequestStaysWithItsServer: a redirect is an error, and neither the token nor the body goes to the other host.
func TestARequestStaysWithItsServer(t *testing.T) {
	t.Parallel()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c, err := New(Config{Server: server.URL, Token: "canary"})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Get(t.Context(), "/version", nil, &struct{}{})
	var answer *Error
	if !errors.As(err, &answer) || err.Error() != "307 Temporary Redirect" || asked {
		t.Errorf("%v; the other host was asked: %v", err, asked)
	}
}
