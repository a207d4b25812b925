package portainer_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
)

// TestAnAnswerEndsAtItsLimit: a Portainer that never ends its answer, or the message of a refusal, does not fill the
// memory.
func TestAnAnswerEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			for part := make([]byte, 1<<20); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}))
		c := portainer.Client{URL: server.URL, Token: "t", For: strings.TrimPrefix(server.URL, "http://")}
		if _, err := c.Endpoints(t.Context()); !errors.Is(err, budget.ErrSpent) {
			t.Errorf("with %d: %v", status, err)
		}
		server.Close()
	}
}
