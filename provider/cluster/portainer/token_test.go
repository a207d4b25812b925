package portainer_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster/portainer"
)

// TestATokenGoesOnlyToItsHost calls servers that a configuration names, one that redirects, and one that quotes the
// token in its answer.
func TestATokenGoesOnlyToItsHost(t *testing.T) {
	const token = "CanaryPort8g4lRb"
	seen := 0
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-KEY") != "" {
			seen++
		}
	}))
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("name") == "quote" || strings.HasSuffix(r.URL.Path, "/tags") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"message": "bad key ` + r.Header.Get("X-API-KEY")[3:] + `"}`))
			return
		}
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer own.Close()
	host := strings.TrimPrefix(own.URL, "http://")
	for _, c := range []portainer.Client{
		{URL: other.URL, Token: token, For: host},
		{URL: other.URL, Token: token},
		{URL: own.URL, Token: token, For: host},
	} {
		_, err := c.Endpoints(t.Context())
		if err == nil || strings.Contains(err.Error(), token[3:]) {
			t.Errorf("%s: %v", c.URL, err)
		}
	}
	if seen > 0 {
		t.Errorf("another host got the token %d times", seen)
	}
	c := portainer.Client{URL: own.URL, Token: token, For: host}
	if _, err := c.Tags(t.Context()); err == nil || strings.Contains(err.Error(), token[3:]) ||
		!strings.Contains(err.Error(), "401") {
		t.Errorf("an answer that quotes a part of the token: %v", err)
	}
}
